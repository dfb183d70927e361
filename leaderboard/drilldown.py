"""Single questions: where a bridge and naive differ most, and some at random, with the documents side by side."""

import math
import random
from dataclasses import dataclass
from typing import Any

import numpy as np
from inspect_ai.log import EvalSample, read_eval_log_samples_by_id

from bridgebench.document import Document
from bridgebench.errors import BridgebenchError
from bridgebench.leaderboard.cells import Cell
from bridgebench.leaderboard.cut import cut
from bridgebench.leaderboard.marking import Passage, mark
from bridgebench.leaderboard.report import Report
from bridgebench.leaderboard.tables import NAIVE, Table

DIFFERENT, AT_RANDOM = 5, 10
MOST_ANSWER = 600
"""Characters of a question or an answer that are shown; how long it is, is said."""


@dataclass(frozen=True)
class Answer:
    """What one row said.

    Attributes:
        text: The answer; empty where there is none.
        score: Of the headline metric, epochs averaged; NaN where unscored.
        log: Path of the log.
        epoch: Epoch shown.
    """

    text: str
    score: float
    log: str
    epoch: int


@dataclass(frozen=True)
class Case:
    """One question before and after a bridge.

    Attributes:
        unreadable: Why `before` and `after` are left out: another task's log may hold documents in a form of its own.
    """

    id: str
    question: str
    gold: tuple[str, ...]
    question_type: str
    naive: Answer
    bridge: Answer
    before: tuple[Passage, ...]
    after: tuple[Passage, ...]
    unreadable: str = ""

    @property
    def difference(self) -> float:
        """Of the bridge's score to naive's; NaN where one is unscored."""
        return self.bridge.score - self.naive.score


@dataclass(frozen=True)
class Comparison:
    """A bridge against naive on one benchmark, with one generator.

    Attributes:
        different: The questions with the largest differences in score.
        at_random: Questions drawn from the others.
    """

    benchmark: str
    generator: str
    metric: str
    label: str
    different: tuple[Case, ...]
    at_random: tuple[Case, ...]


def compare(report: Report, generator: str | None = None, seed: int = 0) -> list[Comparison]:
    """Read the questions to show, one by one, from the logs.

    Args:
        report: What was compared.
        generator: Whose answers; None is the first.
        seed: Of the draw.
    """
    generator = generator or next(iter(report.generators), None)
    found = []
    for table in report.tables:
        naive = next((i for i, row in enumerate(table.rows) if row.control == NAIVE), None)
        if table.generator != generator or naive is None:
            continue
        bridges = [position for position, row in enumerate(table.rows) if row.control is None]
        chosen = {position: choose(table, position, naive, seed) for position in bridges}
        shown = {position: [*different, *others] for position, (different, others) in chosen.items()}
        base = _read(table, naive, {number for numbers in shown.values() for number in numbers})
        for position in bridges:
            own = _read(table, position, set(shown[position]))
            cases = [_case(table, position, naive, number, base[number], own[number]) for number in shown[position]]
            split = len(chosen[position][0])
            found.append(
                Comparison(
                    table.benchmark,
                    table.generator,
                    table.headline,
                    table.rows[position].label,
                    tuple(cases[:split]),
                    tuple(cases[split:]),
                )
            )
    return found


def choose(table: Table, position: int, naive: int, seed: int) -> tuple[list[int], list[int]]:
    """Questions (numbers of rows of the matrix) that differ most, and a draw from all others both were asked.

    Ties are drawn as well; questions without any difference are not shown as differing.
    """
    values, asked = table.questions.values[table.headline], table.questions.asked
    common = [int(i) for i in np.flatnonzero(asked[:, position] & asked[:, naive])]
    rng = random.Random(f"{seed} {table.benchmark} {table.rows[position].key}")
    rng.shuffle(common)
    size = {i: abs(values[i, position] - values[i, naive]) for i in common}
    differing = [i for i in common if not math.isnan(size[i]) and size[i] > 0]
    differing = sorted(differing, key=lambda i: -size[i])[:DIFFERENT]
    return differing, [i for i in common if i not in differing][:AT_RANDOM]


def _read(table: Table, position: int, numbers: set[int]) -> dict[int, EvalSample]:
    """Samples of one row's log by number of question: of the first epoch, without what is not shown."""
    cell = table.rows[position].cell
    assert cell.samples is not None
    wanted = {}
    for number in sorted(numbers):
        id = str(table.questions.ids[number])
        wanted[number] = (id, int(cell.samples.epochs[cell.samples.ids == id].min()))
    read = read_eval_log_samples_by_id(
        cell.log, wanted.values(), exclude_fields={"messages", "events", "attachments", "events_data"}
    )
    return dict(zip(wanted, read, strict=True))


def _case(table: Table, position: int, naive: int, number: int, base: EvalSample, own: EvalSample) -> Case:
    values = table.questions.values[table.headline]
    before, after, unreadable = _passages(own)
    targets = [own.target] if isinstance(own.target, str) else list(own.target)
    return Case(
        id=str(own.id),
        question=cut(own.input if isinstance(own.input, str) else own.input[-1].text, MOST_ANSWER),
        gold=tuple(cut(target, MOST_ANSWER) for target in targets),
        question_type=str(table.questions.types[number]),
        naive=_answer(base, float(values[number, naive]), table.rows[naive].cell),
        bridge=_answer(own, float(values[number, position]), table.rows[position].cell),
        before=tuple(before),
        after=tuple(after),
        unreadable=unreadable,
    )


def _answer(sample: EvalSample, score: float, cell: Cell) -> Answer:
    return Answer(cut(sample.output.completion, MOST_ANSWER), score, cell.log, sample.epoch)


def _passages(sample: EvalSample) -> tuple[list[Passage], list[Passage], str]:
    """What was retrieved and what was read, marked; or neither, and why."""
    try:
        gold = frozenset(map(str, _listed("gold_documents", sample.metadata.get("gold_documents"))))
        retrieved = _listed("documents", sample.metadata.get("documents"))
        read = _listed("BridgeStore:documents", sample.store.get("BridgeStore:documents"))
        return *mark(list(map(Document.from_dict, retrieved)), list(map(Document.from_dict, read)), gold), ""
    except BridgebenchError as error:
        return [], [], cut(str(error), MOST_ANSWER)


def _listed(name: str, found: Any) -> list[Any]:
    if found is not None and not isinstance(found, list):
        raise BridgebenchError(f"'{name}' must be a list, got {type(found).__name__}")
    return found or []
