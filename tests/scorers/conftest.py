"""A task whose answers are given, so that scorers are tested through Inspect's own metrics and without a model."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pytest
from inspect_ai import Epochs, Task, eval
from inspect_ai.dataset import Sample
from inspect_ai.log import EvalLog, EvalScore
from inspect_ai.model import ModelOutput
from inspect_ai.scorer import Scorer
from inspect_ai.solver import Generate, Solver, TaskState, solver

from bridgebench.store import Ranking

Run = Callable[..., EvalLog]


@solver
def given(
    outputs: Mapping[str, Any],
    rankings: Mapping[str, list[str]],
    prepare: Callable[[TaskState], None],
) -> Solver:
    """Put each sample's output in place (a list holds one for each epoch), or leave none; an exception is raised."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        id = str(state.sample_id)
        output = outputs.get(id)
        if isinstance(output, list):
            output = output[state.epoch - 1]
        if isinstance(output, Exception):
            raise output
        if output is not None:
            state.output = ModelOutput.from_content("given", output) if isinstance(output, str) else output
        prepare(state)
        if id in rankings:
            state.store_as(Ranking).ranked = rankings[id]
        return state

    return solve


@pytest.fixture
def run_scorer(tmp_path: Path) -> Run:
    """Evaluate samples whose outputs are given; returns the finished log."""

    def run(
        scorer: Scorer | list[Scorer],
        samples: Sequence[Sample],
        outputs: Mapping[str, Any],
        epochs: int = 1,
        rankings: Mapping[str, list[str]] = MappingProxyType({}),
        prepare: Callable[[TaskState], None] = lambda state: None,
        **options: Any,
    ) -> EvalLog:
        for sample in samples:
            sample.metadata = {"cluster": str(sample.id), "documents": []} | (sample.metadata or {})
        task = Task(
            dataset=list(samples), solver=given(outputs, rankings, prepare), scorer=scorer, epochs=Epochs(epochs)
        )
        (log,) = eval(task, model=options.pop("model", "none/none"), log_dir=str(tmp_path), display="none", **options)
        return log

    return run


def figures(log: EvalLog) -> dict[str, EvalScore]:
    """Name of a score to its metrics and counts."""
    assert log.status == "success", log.error
    assert log.results is not None
    return {score.name: score for score in log.results.scores}


@pytest.fixture(name="figures")
def figures_fixture() -> Callable[[EvalLog], dict[str, EvalScore]]:
    return figures
