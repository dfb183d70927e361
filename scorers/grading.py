"""Run the judge over answers that are already there, as an Inspect evaluation: with its log, retries and limits."""

import sys
from collections.abc import Mapping, Sequence
from contextlib import redirect_stdout
from dataclasses import dataclass
from typing import Any

from inspect_ai import Task, eval
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.log import EvalSample
from inspect_ai.model import GenerateConfig, Model, ModelOutput, get_model
from inspect_ai.scorer import Score
from inspect_ai.solver import Generate, Solver, TaskState, solver

from bridgebench.errors import BridgebenchError
from bridgebench.scorers.judge import judge


@dataclass(frozen=True)
class Answered:
    """A question, an answer to it, and what would be acceptable."""

    question: str
    prediction: str
    answers: Sequence[str]


@dataclass(frozen=True)
class Grading:
    """How the judge is asked.

    Attributes:
        grader: A model, or its name.
        votes: See `bridgebench.scorers.judge.judge`, as for `prompt`.
        max_tokens: Most tokens of a reply; a grader that reasons before it replies needs more than the default.
        log_dir: Where Inspect logs the gradings; None is its own default.
        args: The provider's own arguments.
    """

    grader: str | Model
    votes: int = 1
    prompt: str = "judge"
    max_tokens: int = 512
    log_dir: str | None = None
    args: Mapping[str, Any] | None = None


def grade(items: Mapping[str, Answered], grading: Grading) -> dict[str, Score]:
    """The judge's `Score` for every answer, by id.

    Progress and the place of the log go to standard error.

    Raises:
        BridgebenchError: When the evaluation ends in an error, such as a provider that cannot be reached.
    """
    samples = [
        Sample(id=id, input=item.question, target=list(item.answers), metadata=_metadata(id, item))
        for id, item in items.items()
    ]
    task = Task(
        dataset=MemoryDataset(samples, name="judge"),
        solver=answered(),
        scorer=judge(votes=grading.votes, prompt=grading.prompt),
        name="judge",
    )
    config = GenerateConfig(max_tokens=grading.max_tokens)
    grader = get_model(grading.grader, config=config, **dict(grading.args or {}))
    with redirect_stdout(sys.stderr):
        (log,) = eval(task, model="none/none", model_roles={"grader": grader}, log_dir=grading.log_dir, display="plain")
    if log.status != "success":
        problem = log.error.message if log.error else log.status
        raise BridgebenchError(f"grading ended in an error: {problem} (log: {log.location})")
    return {str(sample.id): _score(sample) for sample in log.samples or []}


@solver
def answered() -> Solver:
    """Put the answer that the sample carries in place of a generation."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        state.output = ModelOutput.from_content("given", state.metadata["prediction"])
        state.completed = True
        return state

    return solve


def _metadata(id: str, item: Answered) -> dict[str, Any]:
    return {"cluster": id, "prediction": item.prediction}


def _score(sample: EvalSample) -> Score:
    return (sample.scores or {})["judge"]
