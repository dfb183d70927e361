"""Every task runs offline from its bundled sample to its scores."""

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from inspect_ai import Task
from inspect_ai import eval as inspect_eval
from inspect_ai.log import EvalLog
from inspect_ai.model import get_model

from bridgebench.benchmarks.ambigqa.ambigqa import ambigqa
from bridgebench.benchmarks.arxiv_cards.arxiv_cards import arxiv_cards
from bridgebench.benchmarks.crag.crag import crag
from bridgebench.benchmarks.hotpotqa.hotpotqa import hotpotqa
from bridgebench.benchmarks.longbench.longbench import longbench
from bridgebench.benchmarks.msmarco.msmarco import msmarco
from bridgebench.benchmarks.musique.musique import musique
from bridgebench.benchmarks.twowiki.twowiki import twowiki
from bridgebench.models.fake import calls
from bridgebench.solvers.controls import naive

TASKS: dict[str, Callable[..., Task]] = {
    "hotpotqa": hotpotqa,
    "twowiki": twowiki,
    "musique": musique,
    "ambigqa": ambigqa,
    "msmarco": msmarco,
    "crag": crag,
    "longbench": longbench,
    "arxiv_cards": arxiv_cards,
}


def run(task: Task, **options: Any) -> EvalLog:
    grader = get_model("fake/grader", answers={r"VERDICT (\S+): CORRECT": r"VERDICT \1: CORRECT"})
    (log,) = inspect_eval(task, model="fake/generator", model_roles={"grader": grader}, display="none", **options)
    assert log.status == "success", log.error
    return log


@pytest.mark.parametrize("name", TASKS)
def test_sample_to_scores(name: str) -> None:
    log = run(TASKS[name](source="sample", limit=3))
    assert log.results is not None
    headline = log.eval.headline_metric
    assert headline is not None
    (score,) = [
        score for score in log.results.scores if (score.scorer, score.name) == (headline.scorer, headline.score)
    ]
    assert 0 <= score.metrics["mean"].value <= 1
    assert score.unscored_samples == 0
    assert log.samples is not None
    assert len(log.samples) == 3
    assert log.eval.metadata is not None
    assert log.eval.metadata["records"]["used"] == 3
    if name != "arxiv_cards":
        assert all(sample.store["BridgeStore:prompt"] for sample in log.samples)


def test_only_the_generator_is_told_the_time() -> None:
    for query_time, told in (("both", True), ("generator", False)):
        log = run(crag(source="sample", limit=1, query_time=query_time))  # type: ignore[arg-type]
        assert log.samples is not None
        (sample,) = log.samples
        assert "(asked on " in sample.messages[0].text
        assert ("(asked on " in str(sample.input)) is told
        assert "i don't know" in sample.messages[0].text


def test_chinese_questions_are_asked_in_chinese() -> None:
    log = run(longbench(source="sample", subset="multifieldqa_zh", limit=1))
    assert log.samples is not None
    assert "问题：" in log.samples[0].messages[0].text


def test_inspect_lists_eight_tasks() -> None:
    checkout = Path(__file__).parents[2]
    command = [str(Path(sys.executable).with_name("inspect")), "list", "tasks", "benchmarks", "--json"]
    listed = subprocess.run(command, cwd=checkout, capture_output=True, text=True, check=True).stdout
    assert {task["name"] for task in json.loads(listed)} == set(TASKS)


@pytest.mark.parametrize("name", ["crag", "msmarco"])
@pytest.mark.parametrize("options", [{}, {"solver": naive()}, {"fail_on_error": False}])
def test_a_judge_without_a_model_is_refused_before_anything_is_generated(name: str, options: dict[str, Any]) -> None:
    calls.clear()
    (log,) = inspect_eval(TASKS[name](source="sample", limit=3), model="fake/generator", display="none", **options)
    errors = [log.error, *(sample.error for sample in log.samples or [])]
    assert any(error and "--model-role grader=" in error.message for error in errors)
    assert not calls
    assert log.status == "error" or not any(sample.scores for sample in log.samples or [])
