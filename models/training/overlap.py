"""Whether questions of the training data are asked by a benchmark too."""

from collections.abc import Iterable, Mapping
from typing import Any

from inspect_ai.util import registry_create
from pydantic import Field

from bridgebench.errors import BridgebenchError
from bridgebench.models.training.measures import runs
from bridgebench.models.training.served import Settings
from bridgebench.scorers.qa_metrics import normalise_answer

RUN = 8
"""Words that two questions must share in a row to be reported though they are not equal."""

LISTED = 20
"""Questions that a report names."""


class Asked(Settings):
    """A benchmark whose questions must not be in the training data.

    Attributes:
        task: Registry name; ours without their prefix.
        args: Arguments of the task.
    """

    task: str
    args: dict[str, Any] = Field(default_factory=dict)

    @property
    def name(self) -> str:
        """The task with its arguments."""
        return " ".join([self.task, *(f"{key}={value}" for key, value in self.args.items())])

    def questions(self) -> list[str]:
        """Its questions.

        Raises:
            BridgebenchError: When it has no such source.
        """
        task = registry_create("task", self.task if "/" in self.task else f"bridgebench/{self.task}", **self.args)
        return [str(sample.input) for sample in task.dataset]


def overlap(training: Mapping[str, str], asked: Iterable[str]) -> dict[str, Any]:
    """Training questions that a benchmark asks.

    Args:
        training: Questions by their ids.
        asked: The benchmark's questions.

    Returns:
        ``questions`` of the benchmark; ``equal``: ids of training questions that are equal after normalisation;
        ``similar``: of others that share `RUN` normalised words in a row; both lists end after `LISTED` ids, and
        ``equal_count`` and ``similar_count`` tell how many there are.
    """
    plain: set[str] = set()
    held: set[tuple[str, ...]] = set()
    number = 0
    for question in asked:
        number += 1
        plain.add(normalise_answer(question))
        held.update(runs(question, RUN))
    equal, similar = [], []
    for id, question in training.items():
        if normalise_answer(question) in plain:
            equal.append(id)
        elif not held.isdisjoint(runs(question, RUN)):
            similar.append(id)
    return {
        "questions": number,
        "equal_count": len(equal),
        "similar_count": len(similar),
        "equal": equal[:LISTED],
        "similar": similar[:LISTED],
    }


def overlap_report(training: Mapping[str, str], benchmarks: Iterable[Asked]) -> dict[str, Any]:
    """`overlap` with each benchmark by its name; one that cannot be read here says why under ``not_checked``."""
    report: dict[str, Any] = {}
    for benchmark in benchmarks:
        try:
            report[benchmark.name] = overlap(training, benchmark.questions())
        except BridgebenchError as error:  # its source is not here; a wrong name or argument is an error
            report[benchmark.name] = {"not_checked": str(error)}
    return report
