"""Tables and averages against hand computations, and the forms they are written in."""

import csv
import io
import json
import math
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest
from rich.console import Console

from bridgebench.cli import main
from bridgebench.leaderboard.data import as_json, tidy_csv
from bridgebench.leaderboard.grids import averages_grid, table_grid
from bridgebench.leaderboard.latex import latex
from bridgebench.leaderboard.markdown import markdown
from bridgebench.leaderboard.report import Report, read_report
from bridgebench.leaderboard.terminal import terminal_table
from bridgebench.leaderboard.text import metric_title, number, p_value, percent, places


@pytest.fixture(scope="module")
def report(synthetic: ModuleType, tmp_path_factory: pytest.TempPathFactory) -> Report:
    """Two benchmarks of different size; r2u is far better on both, provence is naive but for two answers."""
    logs = tmp_path_factory.mktemp("logs")
    for benchmark, n in (("hotpotqa", 40), ("musique", 20)):
        naive = [float(i % 4 == 0) for i in range(n)]
        provence = [1 - value if i < 2 else value for i, value in enumerate(naive)]
        for bridge, values in (("naive", naive), ("provence", provence), ("r2u", [1.0] * n)):
            synthetic.write_cell(logs, bridge, values=values, benchmark=f"bridgebench/{benchmark}")
        synthetic.write_cell(logs, "no_documents", values=[0.0] * n, benchmark=f"bridgebench/{benchmark}")
    return read_report([logs], resamples=2_000)


def test_differences_to_naive_by_hand(report: Report) -> None:
    table = next(table for table in report.tables if table.benchmark == "hotpotqa")
    rows = {row.label: row for row in table.rows}
    assert list(rows) == ["naive", "provence", "r2u", "no_documents"], "naive first, other controls last"
    r2u = rows["r2u"].differences["f1"]["naive"]
    assert r2u.mean == pytest.approx(0.75)
    assert (r2u.won, r2u.lost, r2u.pairs, r2u.unpaired) == (30, 0, 40, 0)
    assert r2u.low < 0.75 < r2u.high
    assert r2u.p is not None
    assert r2u.adjusted == pytest.approx(2 * r2u.p), "Holm over two bridges"
    assert r2u.significant
    provence = rows["provence"].differences["f1"]["naive"]
    assert (provence.mean, provence.p, provence.adjusted) == (0.0, 1.0, 1.0)
    assert rows["no_documents"].differences["f1"]["naive"].adjusted is None, "controls are not in the family"
    assert rows["r2u"].differences["f1"]["no_documents"].mean == 1.0
    assert rows["r2u"].differences["em"]["naive"].p is None, "only the headline metric is tested"


def test_ranks_are_intervals_and_the_best_is_post_hoc(report: Report) -> None:
    table = next(table for table in report.tables if table.benchmark == "hotpotqa")
    rows = {row.label: row for row in table.rows}
    assert {label: row.rank for label, row in rows.items()} == {
        "naive": (2, 3),
        "provence": (2, 3),
        "r2u": (1, 1),
        "no_documents": None,
    }
    assert rows["provence"].differences["f1"]["best"].against == "r2u"
    assert rows["provence"].differences["f1"]["best"].p is None
    assert "best" not in rows["r2u"].differences["f1"]


def test_averages_weigh_benchmarks_equally(report: Report) -> None:
    macro = next(macro for macro in report.macros if macro.metric == "f1")
    rows = {row.label: row for row in macro.rows}
    assert rows["naive"].mean == pytest.approx(0.25)
    r2u = rows["r2u"]
    assert r2u.difference == pytest.approx(0.75)
    assert r2u.low is not None
    assert r2u.high is not None
    assert r2u.low < 0.75 < r2u.high
    assert r2u.adjusted is not None
    assert r2u.adjusted < 0.01
    assert rows["no_documents"].adjusted is None


def test_equal_compute_is_compared_only_with_bridges_that_ask_a_model(synthetic: ModuleType, tmp_path: Path) -> None:
    roles = {"bridge": "x/rewriter"}
    for bridge, values in (
        ("naive", [0.0] * 4),
        ("answer_directly", [1.0, 0, 0, 0]),
        ("r2u", [1.0] * 4),
        ("bm25_reranker", [0.0] * 4),
    ):
        synthetic.write_cell(tmp_path, bridge, values=values, roles=roles)
    rows = {row.label: row for row in read_report([tmp_path], resamples=100).tables[0].rows}
    assert rows["answer_directly"].control == "answer_directly"
    assert rows["r2u"].differences["f1"]["answer_directly"].mean == 0.75
    assert "answer_directly" not in rows["bm25_reranker"].differences["f1"]


def test_an_average_of_settings_is_refused(synthetic: ModuleType, tmp_path: Path) -> None:
    for version in (1, 2):
        synthetic.write_cell(tmp_path, "naive", n=3, task_version=version)
    synthetic.write_cell(tmp_path, "naive", n=3, benchmark="bridgebench/musique")
    found = read_report([tmp_path], resamples=50)
    assert found.macros == ()
    assert any("2 settings: left out of averages" in note for note in found.notes)


def test_places_share_ties_as_printed() -> None:
    assert places([0.5, 0.7001, 0.7004, None, math.nan, 0.1]) == ["second", "best", "best", "", "", ""]
    assert places([0.0, 0.0]) == ["", ""]


def test_figures_as_text() -> None:
    assert (percent(0.1234), percent(-0.05, True), percent(math.nan)) == ("12.3", "−5.0", "–")
    assert (number(0.01234), number(1234.5), number(0.0), number(2e-5), number(None)) == (
        "0.0123",
        "1,234",
        "0",
        "<0.001",
        "–",
    )
    assert (p_value(0.0001), p_value(0.02), p_value(0.5), p_value(None)) == ("<0.001", "0.020", "0.50", "–")
    assert (metric_title("f1_aliases"), metric_title("judge")) == ("F1 aliases", "ACC")


def test_the_averages_grid_has_the_shape_of_the_papers_table(report: Report) -> None:
    grid = averages_grid(report.averages[0])
    assert [(column.title, column.unit) for column in grid.columns[:4]] == [
        ("hotpotqa", "F1"), ("hotpotqa", "EM"), ("musique", "F1"), ("musique", "EM")]  # fmt: skip
    r2u = next(line for line in grid.lines if line.label == "r2u")
    assert r2u.fields[0].place == "best"
    assert len(r2u.fields) == len(grid.columns)


def test_markdown_marks_the_best_and_what_stands(report: Report) -> None:
    text = markdown(report)
    assert "| r2u | **100.0** | **100.0** |" in text
    assert "+75.0 [" in text
    assert "] * |" in text


def test_csv_holds_every_row_and_metric(report: Report) -> None:
    lines = list(csv.DictReader(io.StringIO(tidy_csv(report))))
    assert len(lines) == 2 * 4 * 2
    r2u = next(
        line for line in lines if (line["benchmark"], line["bridge"], line["metric"]) == ("hotpotqa", "r2u", "f1")
    )
    assert float(r2u["naive_difference"]) == pytest.approx(0.75)
    assert (r2u["rank_low"], r2u["rank_high"], r2u["won"]) == ("1", "1", "30")


def test_json_is_strict_and_free_of_columns(report: Report) -> None:
    text = as_json(report)
    found = json.loads(text, parse_constant=lambda name: pytest.fail(f"{name} is no JSON"))
    assert found["tables"][0]["rows"][0]["label"] == "naive"
    assert "samples" not in found["tables"][0]["rows"][0]["cell"]
    assert len(text) < 100_000


def test_latex_is_balanced(report: Report) -> None:
    text = latex(report)
    assert text.count(r"\begin{tabular}") == text.count(r"\end{tabular}") == 3
    for line in text.splitlines():
        if line.endswith(r"\\"):
            assert line.replace(r"\{", "").count("{") == line.replace(r"\}", "").count("}")
    assert r"no\_documents" in text
    assert r"\textbf{100.0}" in text


def test_the_terminal_table_fits_eighty_columns(report: Report) -> None:
    console = Console(width=80, record=True, file=io.StringIO())
    console.print(terminal_table(report))
    text = console.export_text()
    assert "+75.0 [" in text
    assert max(map(len, text.splitlines())) <= 80
    assert "…" not in text, "no figure is cut"


def test_every_line_has_a_field_for_every_column(report: Report) -> None:
    for table in report.tables:
        grid = table_grid(table)
        assert {len(line.fields) for line in grid.lines} == {len(grid.columns)}


def test_the_command_writes_all_forms(
    synthetic: ModuleType, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    synthetic.write_cell(tmp_path / "logs", "naive", n=3)
    synthetic.write_cell(tmp_path / "logs", "r2u", n=3)
    out = tmp_path / "out"
    assert main(["leaderboard", str(tmp_path / "logs"), "-o", str(out), "--resamples", "50"]) == 0
    assert {path.name for path in out.iterdir()} == {
        f"leaderboard.{end}" for end in ("html", "md", "csv", "json", "tex")
    }
    assert "leaderboard.html" in capsys.readouterr().err
    assert main(["leaderboard", str(tmp_path / "logs"), "--generator", "absent", "-o", str(out)]) == 2
    assert "no generator 'absent'" in capsys.readouterr().err
    assert main(["leaderboard", str(tmp_path / "nothing")]) == 2


def test_workers_read_the_same_as_one_process(synthetic: ModuleType, tmp_path: Path) -> None:
    from bridgebench.leaderboard.logs import read_logs

    path = synthetic.write_cell(tmp_path, "naive", n=3)
    for copy in range(69):
        (tmp_path / f"copy{copy}.eval").write_bytes(path.read_bytes())
    one, two = read_logs([tmp_path], workers=1), read_logs([tmp_path], workers=2)
    assert len(one.superseded) == len(two.superseded) == 69
    assert [cell.log for cell in one.cells] == [cell.log for cell in two.cells]
    for a, b in zip(one.superseded, two.superseded, strict=True):
        assert a.samples is not None
        assert b.samples is not None
        assert np.array_equal(a.samples.scores["f1"], b.samples.scores["f1"])
