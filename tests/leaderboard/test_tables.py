"""Tables and averages against hand computations, and the forms they are written in."""

import csv
import io
import json
import math
import random
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest
from rich.console import Console

from bridgebench.cli import main
from bridgebench.leaderboard.data import as_json, tidy_csv
from bridgebench.leaderboard.details import metrics_grid
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


def test_a_metric_is_averaged_once(synthetic: ModuleType, tmp_path: Path) -> None:
    for benchmark in ("hotpotqa", "musique"):
        synthetic.write_cell(tmp_path, "naive", n=3, benchmark=f"bridgebench/{benchmark}", headline=("qa_f1", "em"))
    assert [macro.metric for macro in read_report([tmp_path], resamples=50).macros] == ["em"]


def test_an_average_difference_needs_pairs_on_every_benchmark(synthetic: ModuleType, tmp_path: Path) -> None:
    """Its p would be that of the other benchmarks alone."""
    apart = {"naive": [1.0, math.nan] * 3, "provence": [math.nan, 1.0] * 3, "r2u": [1.0] * 6}
    for bridge, values in apart.items():
        synthetic.write_cell(tmp_path, bridge, values=values)
        others = [float(bridge != "naive")] * 30
        synthetic.write_cell(tmp_path, bridge, values=others, benchmark="bridgebench/musique")
    rows = {row.label: row for row in read_report([tmp_path], resamples=200).macros[0].rows}
    provence, r2u = rows["provence"], rows["r2u"]
    assert (provence.mean, provence.difference, provence.p, provence.adjusted) == (1.0, None, None, None)
    assert r2u.difference == 0.5
    assert r2u.adjusted == r2u.p, "alone in the family"


def test_question_types_count_their_own_questions(synthetic: ModuleType, tmp_path: Path) -> None:
    synthetic.write_cell(tmp_path, "naive", values=[1.0, 0.0, math.nan, 1.0, 0.0])
    row = read_report([tmp_path], resamples=50).tables[0].rows[0]
    bridge, comparison = row.by_type["bridge"], row.by_type["comparison"]
    assert (bridge.mean, bridge.questions, bridge.unscored) == (0.5, 2, 1)
    assert (comparison.mean, comparison.questions, comparison.unscored) == (0.5, 2, 0)
    assert (bridge.worst, bridge.best) == (pytest.approx(1 / 3), pytest.approx(2 / 3))


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
    assert (percent(-0.0004, True), percent(-0.0004), number(-0.5), number(-2e-5), number(-1234.5)) == (
        "+0.0", "0.0", "−0.5", ">−0.001", "−1,234")  # fmt: skip
    assert (p_value(0.0001), p_value(0.02), p_value(0.5), p_value(None)) == ("<0.001", "0.020", "0.50", "–")
    assert (metric_title("f1_aliases"), metric_title("accuracy"), metric_title("mrr@10")) == (
        "F1 aliases",
        "ACC",
        "MRR@10",
    )


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
    assert main(["leaderboard", str(tmp_path / "logs"), "-o", str(out), "--resamples", "0"]) == 2
    assert "--resamples must be at least 1, got 0" in capsys.readouterr().err


def test_workers_read_the_same_as_one_process(synthetic: ModuleType, tmp_path: Path) -> None:
    from bridgebench.leaderboard.logs import read_logs

    path = synthetic.write_cell(tmp_path, "naive", n=3)
    for copy in range(3):
        (tmp_path / f"copy{copy}.eval").write_bytes(path.read_bytes())
    one, two = read_logs([tmp_path], workers=1), read_logs([tmp_path], workers=2)
    assert len(one.superseded) == len(two.superseded) == 3
    assert [cell.log for cell in one.cells] == [cell.log for cell in two.cells]
    for a, b in zip(one.superseded, two.superseded, strict=True):
        assert a.samples is not None
        assert b.samples is not None
        assert np.array_equal(a.samples.scores["f1"], b.samples.scores["f1"])


def judged(value: float, **more: object) -> dict[str, object]:
    from inspect_ai.scorer import Score

    shares = {"accuracy": value, "hallucination": 1 - value, "missing": 0.0, "crag_score": 2 * value - 1}
    return {"scores": {"judge": Score(value={**shares, "upper_accuracy": value}, metadata=dict(more))}}


def test_what_does_not_fit_a_table_is_folded_and_less_hallucination_is_better(
    synthetic: ModuleType, tmp_path: Path
) -> None:
    for bridge, value in (("naive", 0.0), ("r2u", 1.0)):
        options = {"values": [value] * 3, "headline": ("judge", "accuracy"), "benchmark": "bridgebench/crag"}
        synthetic.write_cell(tmp_path, bridge, sample_options=judged(value, same_family=True), **options)
    report = read_report([tmp_path], resamples=50)
    (table,) = report.tables
    assert table.columns == ("accuracy", "hallucination", "missing", "crag_score")
    grid = table_grid(table)
    places_of = {line.label: [field.place for field in line.fields[:4]] for line in grid.lines}
    assert places_of == {"naive": ["second", "second", "", "second"], "r2u": ["best", "best", "", "best"]}
    further = metrics_grid(table)
    assert further is not None
    assert [column.title for column in further.columns] == ["upper accuracy"]
    assert report.notes == (
        "crag with synthetic/Llama-3.1-8B-Instruct: the judge is of the generator's own model family",
    )


def test_unscored_crag_scores_are_bounded_by_minus_one(synthetic: ModuleType, tmp_path: Path) -> None:
    from inspect_ai.scorer import Score

    path = synthetic.write_cell(tmp_path, "naive", values=[1.0, 1.0], headline=("judge", "crag_score"))
    from inspect_ai.log import read_eval_log, write_eval_log

    log = read_eval_log(str(path))
    assert log.samples is not None
    for sample, score in zip(
        log.samples,
        [Score.unscored(reason="grader_failed"), Score(value={"crag_score": 1.0, "hallucination": 0.0})],
        strict=True,
    ):
        assert sample.scores is not None
        sample.scores["judge"] = score
    write_eval_log(log, str(path))
    row = read_report([tmp_path], resamples=50).tables[0].rows[0]
    for estimate in (row.estimates["crag_score"], row.by_type["bridge"]):
        assert (estimate.worst, estimate.best) == ((0.0, 1.0) if estimate.questions else (-1.0, 1.0))
    hallucinated = row.estimates["hallucination"]
    assert (hallucinated.mean, hallucinated.worst, hallucinated.best) == (0.0, 0.5, 0.0), "a wrong answer is one"


def test_the_card_papers_measure_takes_any_of_three(synthetic: ModuleType, tmp_path: Path) -> None:
    from inspect_ai.log import write_eval_log
    from inspect_ai.scorer import Score

    samples = []
    for id, values in (("a", (0.0, 1.0, 0.0)), ("b", (0.0, 0.0, 0.0)), ("c", (1.0, 1.0, math.nan))):
        for epoch, value in enumerate(values, start=1):
            scores = {**synthetic.qa(0.0), "containment": Score(value={"word_containment": value})}
            text = synthetic.documents(random.Random(0))
            samples.append(
                synthetic.sample(id, epoch=epoch, scores=scores, retrieved=text, read=text, bridge="bridgebench/naive")
            )
    write_eval_log(synthetic.log(samples, chain=[("bridgebench/naive", {})], epochs=3), str(tmp_path / "a.eval"))
    row = read_report([tmp_path], resamples=50).tables[0].rows[0]
    assert row.estimates["word_containment"].mean == pytest.approx((1 / 3 + 0 + 1) / 3)
    any_of_3 = row.estimates["any_of_3_word_containment"]
    assert (any_of_3.mean, any_of_3.questions) == (0.5, 2), "a question with an unscored answer has none"


def test_tables_of_several_settings_are_told_apart_in_every_form(synthetic: ModuleType, tmp_path: Path) -> None:
    for limit in (3, 4):
        for bridge in ("naive", "r2u"):
            synthetic.write_cell(tmp_path, bridge, n=4, limit=limit)
    report = read_report([tmp_path], resamples=50)
    lines = csv.DictReader(io.StringIO(tidy_csv(report)))
    assert len({(line["setting"], line["bridge"], line["metric"]) for line in lines}) == 2 * 2 * 2
    console = Console(width=80, record=True, file=io.StringIO())
    console.print(terminal_table(report))
    for text in (markdown(report), latex(report), console.export_text()):
        assert text.count("limit 3") == text.count("limit 4") == 1


def test_the_names_of_metrics_are_inert_too(synthetic: ModuleType, tmp_path: Path) -> None:
    from inspect_ai.scorer import Score

    name = "[/bold]a|b<i>"
    given = {"scores": {"own": Score(value={name: 1.0})}}
    synthetic.write_cell(tmp_path, "naive", values=[1.0], sample_options=given, headline=("own", name))
    report = read_report([tmp_path], resamples=50)
    assert r"\[/bold\]a\|b\<i\>" in markdown(report)
    console = Console(width=80, record=True, file=io.StringIO())
    console.print(terminal_table(report))
    assert name in console.export_text()


def test_no_row_of_latex_begins_with_an_option_of_the_row_before(synthetic: ModuleType, tmp_path: Path) -> None:
    for bridge in ("naive", "[9cm]", "*", "\x00[9cm]b"):
        synthetic.write_cell(tmp_path, bridge, n=3, name="cell")
    rows = [line for line in latex(read_report([tmp_path], resamples=50)).splitlines() if "9cm" in line or "*" in line]
    assert sum(line.startswith("{}") for line in rows) == 3
    assert not [line for line in rows if line.lstrip()[:1] in "[*"]


def test_what_is_no_finite_number_is_null_in_json(synthetic: ModuleType, tmp_path: Path) -> None:
    from inspect_ai.scorer import Score

    scores = {**synthetic.qa(1.0), "utility": Score(value={"log_p": -math.inf})}
    synthetic.write_cell(tmp_path, "naive", values=[1.0], sample_options={"scores": scores})
    report = read_report([tmp_path], resamples=50)
    assert json.loads(as_json(report))["tables"][0]["rows"][0]["figures"]["utility.log_p"] is None
