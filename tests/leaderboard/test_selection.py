"""Which logs count, and what is never mixed."""

import json
import math
import random
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from bridgebench.leaderboard.details import run_facts
from bridgebench.leaderboard.grids import SIGNS, mark_list
from bridgebench.leaderboard.latex import latex
from bridgebench.leaderboard.logs import read_logs
from bridgebench.leaderboard.markdown import markdown
from bridgebench.leaderboard.report import Report, read_report

NAN = math.nan


def report(folder: Path) -> Report:
    return read_report([folder], resamples=200)


def manifest(folder: Path, *ids: str, **more: Any) -> None:
    cells = [{"id": id, "benchmark": "bridgebench/hotpotqa", "bridges": [], "generator": "g"} for id in ids]
    (folder / "manifest.json").write_text(
        json.dumps({"suite": "demo", "created": "2026-11-29", "cells": cells, **more})
    )


def test_the_latest_log_of_a_cell_counts(synthetic: ModuleType, tmp_path: Path) -> None:
    synthetic.write_cell(tmp_path, "naive", values=[0.0] * 4, created="2026-11-29T10:00:00+00:00")
    synthetic.write_cell(tmp_path, "naive", values=[1.0] * 4, created="2026-11-29T11:00:00+00:00")
    found = report(tmp_path)
    assert [row.estimates["f1"].mean for row in found.tables[0].rows] == [1.0]
    assert len(found.superseded) == 1


def test_a_complete_log_counts_before_a_later_one_that_broke(synthetic: ModuleType, tmp_path: Path) -> None:
    synthetic.write_cell(tmp_path, "naive", values=[1.0] * 4, created="2026-11-29T10:00:00+00:00")
    synthetic.write_cell(tmp_path, "naive", values=[0.0] * 4, status="error", created="2026-11-29T11:00:00+00:00")
    found = report(tmp_path)
    assert found.tables[0].rows[0].estimates["f1"].mean == 1.0
    assert [cell.status for cell in found.superseded] == ["error"]


def test_incomplete_cells_are_listed_and_never_averaged(synthetic: ModuleType, tmp_path: Path) -> None:
    for benchmark in ("hotpotqa", "musique"):
        for bridge in ("naive", "r2u"):
            broken = benchmark == "musique" and bridge == "r2u"
            options = {"planned": 20} if broken else {}
            synthetic.write_cell(tmp_path, bridge, n=6, benchmark=f"bridgebench/{benchmark}", **options)
    found = report(tmp_path)
    assert [(cell.benchmark, cell.chain[0][0]) for cell in found.incomplete] == [("musique", "bridgebench/r2u")]
    averages = {row.label: row.mean for row in found.macros[0].rows}
    assert averages["r2u"] is None
    assert averages["naive"] is not None


def test_a_manifest_ranks_its_cells_alone_in_its_order(synthetic: ModuleType, tmp_path: Path) -> None:
    synthetic.write_cell(tmp_path, "r2u", n=4, cell="c1")
    synthetic.write_cell(tmp_path, "provence", n=4, cell="c2")
    synthetic.write_cell(tmp_path, "exit", n=4, cell="old")
    manifest(tmp_path, "c2", "c1", "c3", controls="none")
    found = report(tmp_path)
    assert [row.label for row in found.tables[0].rows] == ["provence", "r2u"]
    assert [cell.id for cell in found.superseded] == ["old"]
    assert [cell.id for cell in found.missing] == ["c3"]
    assert (found.suites, found.controls) == (("demo",), "none")


def test_a_manifest_says_what_is_a_control(synthetic: ModuleType, tmp_path: Path) -> None:
    synthetic.write_cell(tmp_path, "r2u", n=4, cell="c1", on_empty="originals")
    manifest(tmp_path, "c1")
    plan = json.loads((tmp_path / "manifest.json").read_text())
    plan["cells"][0] |= {"control": "on_empty", "command": "run it"}
    (tmp_path / "manifest.json").write_text(json.dumps(plan))
    row = report(tmp_path).tables[0].rows[0]
    assert (row.control, row.label) == ("on_empty", "r2u (originals when empty)")
    assert dict(run_facts(row, "f1"))["command"] == "run it"
    plan["cells"][0]["label"] = "the suite's name"
    (tmp_path / "manifest.json").write_text(json.dumps(plan))
    assert report(tmp_path).tables[0].rows[0].label == "the suite's name"


@pytest.mark.parametrize(
    "change",
    [
        {"task_version": 2},
        {"limit": 3},
        {"task_args": {"source": "/elsewhere", "documents": "all"}},
        {"epochs": 2},
        {"roles": {"grader": "other/judge"}},
        {"model_args": {"dtype": "bfloat16"}},
    ],
)
def test_other_versions_limits_and_sources_do_not_mix(
    synthetic: ModuleType, tmp_path: Path, change: dict[str, Any]
) -> None:
    synthetic.write_cell(tmp_path, "naive", n=4)
    synthetic.write_cell(tmp_path, "r2u", n=4, **change)
    found = report(tmp_path)
    assert [len(table.rows) for table in found.tables] == [1, 1]
    assert "2 settings are kept apart" in found.notes[0]


def test_only_what_differs_is_named(synthetic: ModuleType, tmp_path: Path) -> None:
    synthetic.write_cell(tmp_path, "naive", n=4, task_args={"source": "sample", "documents": "all"})
    synthetic.write_cell(tmp_path, "naive", n=4, task_args={"documents": "all", "source": "sample"}, limit=3)
    assert report(tmp_path).notes[0].endswith("they differ in limit")


def test_gold_documents_join_the_table_they_are_a_control_of(synthetic: ModuleType, tmp_path: Path) -> None:
    synthetic.write_cell(tmp_path, "naive", n=4)
    synthetic.write_cell(tmp_path, "naive", n=4, name="gold", task_args={"source": "sample", "documents": "gold"})
    rows = report(tmp_path).tables[0].rows
    assert [(row.label, row.control, row.marks.sees_labels, row.rank) for row in rows] == [
        ("naive", "naive", False, (1, 1)),
        ("naive (gold documents)", "gold_documents", True, None),
    ]


def test_unscored_answers_are_counted_with_bounds_and_leave_the_pairs(synthetic: ModuleType, tmp_path: Path) -> None:
    synthetic.write_cell(tmp_path, "naive", values=[1.0, 0.0, NAN, 0.0])
    synthetic.write_cell(tmp_path, "r2u", values=[1.0, NAN, 1.0, 1.0])
    naive, r2u = report(tmp_path).tables[0].rows
    estimate, difference = r2u.estimates["f1"], r2u.differences["f1"]["naive"]
    assert (estimate.mean, estimate.questions, estimate.unscored) == (1.0, 3, 1)
    assert (estimate.worst, estimate.best) == (0.75, 1.0)
    assert r2u.unscored == {"content_filter": 1}
    assert (difference.pairs, difference.unpaired, difference.won, difference.lost) == (2, 2, 1, 0)
    assert difference.mean == 0.5


def test_a_sample_that_broke_or_hit_a_limit_is_unscored_whatever_its_score_says(
    synthetic: ModuleType, tmp_path: Path
) -> None:
    from inspect_ai.log import EvalError, EvalSampleLimit, read_eval_log, write_eval_log

    path = synthetic.write_cell(tmp_path, "naive", values=[1.0, 0.0, 0.0])
    log = read_eval_log(str(path))
    assert log.samples is not None
    log.samples[1].limit = EvalSampleLimit(type="time", limit=1)
    log.samples[2].error = EvalError(message="boom", traceback="", traceback_ansi="")
    write_eval_log(log, str(path))
    row = report(tmp_path).tables[0].rows[0]
    assert row.estimates["f1"].mean == 1.0
    assert row.unscored == {"limit: time": 1, "error": 1}


def test_two_scorers_with_one_name_keep_their_columns(synthetic: ModuleType, tmp_path: Path) -> None:
    from inspect_ai.scorer import Score

    scores = {"qa_f1": Score(value={"f1": 0.5}), "ambigqa_f1": Score(value={"f1": 1.0}), "judge": Score(value="C")}
    synthetic.write_cell(tmp_path, "naive", values=[1.0], sample_options={"scores": scores})
    cell = read_logs([tmp_path]).cells[0]
    assert cell.samples is not None
    assert {name: list(column) for name, column in cell.samples.scores.items()} == {
        "qa_f1.f1": [0.5],
        "ambigqa_f1.f1": [1.0],
        "judge": [1.0],
    }
    assert cell.headline == "qa_f1.f1"


def test_a_grade_that_is_no_grade_is_unscored(synthetic: ModuleType, tmp_path: Path) -> None:
    from inspect_ai.scorer import Score

    synthetic.write_cell(tmp_path, "naive", values=[1.0], sample_options={"scores": {"judge": Score(value="maybe")}})
    row = report(tmp_path).tables[0].rows[0]
    assert math.isnan(row.estimates["judge"].mean)
    assert row.unscored == {"no reason given": 1}


def test_only_telling_arguments_are_shown(synthetic: ModuleType, tmp_path: Path) -> None:
    for threshold in (0.1, 0.5):
        synthetic.write_cell(tmp_path, "provence", n=3, args={"threshold": threshold, "reorder": True})
    synthetic.write_cell(tmp_path, "bm25_reranker", n=3, args={"top_k": 3})
    labels = [row.label for row in report(tmp_path).tables[0].rows]
    assert labels == ["bm25_reranker", "provence [threshold=0.1]", "provence [threshold=0.5]"]


def test_clusters_are_kept_together(synthetic: ModuleType, tmp_path: Path) -> None:
    options = {"sample_options": {"metadata": {"cluster": "one page", "question_type": "x"}}}
    synthetic.write_cell(tmp_path, "naive", values=[0.0] * 6, **options)
    synthetic.write_cell(tmp_path, "r2u", values=[1.0] * 6, **options)
    table = report(tmp_path).tables[0]
    assert table.clusters == 1
    assert table.rows[1].differences["f1"]["naive"].p == 1.0, "one cluster is one observation"


def test_a_suites_gold_documents_row_is_not_called_as_its_naive_row(synthetic: ModuleType, tmp_path: Path) -> None:
    """Both are the empty chain, and the manifest calls both so."""
    synthetic.write_cell(tmp_path, "naive", n=3, cell="c1")
    gold = {"source": "sample", "documents": "gold"}
    synthetic.write_cell(tmp_path, "naive", n=3, cell="c2", task_args=gold)
    manifest(tmp_path, "c1", "c2")
    plan = json.loads((tmp_path / "manifest.json").read_text())
    for cell, control in zip(plan["cells"], ("naive", "gold_documents"), strict=True):
        cell |= {"label": "naive", "control": control}
    (tmp_path / "manifest.json").write_text(json.dumps(plan))
    assert [row.label for row in report(tmp_path).tables[0].rows] == ["naive", "naive (gold documents)"]


def test_a_telling_argument_is_shown_in_brief(synthetic: ModuleType, tmp_path: Path) -> None:
    for letter in "ab":
        synthetic.write_cell(tmp_path, "provence", n=3, args={"note": letter * 100_000})
    labels = [row.label for row in report(tmp_path).tables[0].rows]
    assert sorted(labels) == [f"provence [note={letter * 100}… (100,000 characters)]" for letter in "ab"]


def test_shares_are_of_the_samples_that_have_the_figure(synthetic: ModuleType, tmp_path: Path) -> None:
    synthetic.write_cell(tmp_path, "r2u", n=4, sample_options={"parse": "repaired"})
    (row,) = report(tmp_path).tables[0].rows
    samples = row.cell.samples
    assert samples is not None
    assert dict(run_facts(row, "f1"))["malformed output"] == "4 of 4"
    samples.diagnostics["cost.malformed"][:2] = NAN  # two that failed before their bridge ended
    assert dict(run_facts(row, "f1"))["malformed output"] == "2 of 2"


def test_no_difference_that_can_be_detected_is_no_dash_in_a_sentence(synthetic: ModuleType, tmp_path: Path) -> None:
    for bridge in ("naive", "r2u"):
        synthetic.write_cell(tmp_path, bridge, values=[1.0, 0.0])
    facts = dict(run_facts(report(tmp_path).tables[0].rows[1], "f1"))
    assert facts["against naive"] == "2 questions paired, 0 unpaired; 0 won, 0 lost"


@pytest.mark.parametrize(
    ("bridge", "model", "signs"),
    [
        ("provence", None, ["NC"]),
        ("provence", "naver/provence-reranker-debertav3-v1", ["NC"]),
        ("provence", "/mirror/provence-reranker-debertav3-v1/", ["NC"]),
        ("provence", "hotchpotch/open-provence-reranker-v1", ["C"]),
        ("bge_reranker", None, ["T"]),
        ("bge_reranker", "out/mine", ["C"]),
        ("compact", None, ["T"]),
        ("never_heard_of", "some/model", ["?"]),
        ("bm25_reranker", None, []),
    ],
)
def test_signs_beside_a_name_say_what_is_known_of_its_checkpoint(
    synthetic: ModuleType, tmp_path: Path, bridge: str, model: str | None, signs: list[str]
) -> None:
    synthetic.write_cell(tmp_path, bridge, n=3, args={"model": model} if model else {})
    (row,) = report(tmp_path).tables[0].rows
    assert [sign for sign, _ in mark_list(row)] == signs
    assert row.marks.given == ((model,) if signs == ["C"] else ())
    assert bool(row.marks.licences) == (signs not in (["C"], ["?"]))
    for form in (markdown, latex):
        shown = form(report(tmp_path))
        assert SIGNS in shown
        assert all(f"({sign})" in shown for sign in signs)


def test_a_row_without_any_scored_answer_keeps_its_column_and_its_reasons(
    synthetic: ModuleType, tmp_path: Path
) -> None:
    """Nothing in such a log says that its scorer has keys: it must not bring a headline of its own."""
    synthetic.write_cell(tmp_path, "naive", values=[NAN] * 4)
    synthetic.write_cell(tmp_path, "exit", values=[1.0, 0.0, 0.0, 0.0])
    synthetic.write_cell(tmp_path, "r2u", values=[1.0, 1.0, 0.0, 0.0])
    (table,) = report(tmp_path).tables
    assert set(table.metrics) == {"f1", "em"}
    assert table.headline == "f1"
    naive, exits, r2u = table.rows
    assert math.isnan(naive.estimates["f1"].mean)
    assert naive.unscored == {"content_filter": 4}
    assert (naive.estimates["f1"].unscored, naive.estimates["f1"].worst, naive.estimates["f1"].best) == (4, 0.0, 1.0)
    assert (naive.rank, exits.rank, r2u.rank) == (None, (1, 2), (1, 2)), "it holds no place and takes none"
    difference = r2u.differences["f1"]["naive"]
    assert (difference.pairs, difference.unpaired, difference.p, difference.adjusted) == (0, 4, None, None)


def test_an_epoch_without_a_score_is_in_the_bounds(synthetic: ModuleType, tmp_path: Path) -> None:
    from inspect_ai.log import write_eval_log

    samples = []
    for id, values in (("a", (1.0, 0.0)), ("b", (1.0, NAN)), ("c", (0.0, NAN)), ("d", (NAN, NAN))):
        for epoch, value in enumerate(values, start=1):
            text = synthetic.documents(random.Random(0))
            given = {"scores": synthetic.qa(value), "retrieved": text, "read": text, "bridge": "bridgebench/naive"}
            samples.append(synthetic.sample(id, epoch=epoch, **given))
    write_eval_log(synthetic.log(samples, chain=[("bridgebench/naive", {})], epochs=2), str(tmp_path / "a.eval"))
    row = report(tmp_path).tables[0].rows[0]
    for estimate in (row.estimates["f1"], row.by_type["bridge"]):
        assert (estimate.mean, estimate.questions, estimate.unscored) == (0.5, 3, 1)
        assert (estimate.worst, estimate.best) == ((0.5 + 0.5) / 4, (0.5 + 1 + 0.5 + 1) / 4)
