"""Single questions: where a bridge and naive differ most, and some at random, with the documents side by side."""

import math
import random
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from inspect_ai.log import EvalSample, read_eval_log_sample

from bridgebench.document import Document
from bridgebench.leaderboard.cells import Cell
from bridgebench.leaderboard.marking import Passage, mark
from bridgebench.leaderboard.report import Report
from bridgebench.leaderboard.tables import NAIVE, Row, Table

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
    """One question before and after a bridge."""

    id: str
    question: str
    gold: tuple[str, ...]
    question_type: str
    naive: Answer
    bridge: Answer
    before: tuple[Passage, ...]
    after: tuple[Passage, ...]

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
        samples = _Samples()
        for position, row in enumerate(table.rows):
            if row.control is None:
                different, others = choose(table, position, naive, seed)
                cases = [_case(table, row, position, naive, number, samples) for number in [*different, *others]]
                split = len(different)
                found.append(
                    Comparison(
                        table.benchmark,
                        table.generator,
                        table.headline,
                        row.label,
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


class _Samples:
    """Samples read once: naive's are shown beside every bridge's."""

    def __init__(self) -> None:
        self._read: dict[tuple[str, str, int], EvalSample] = {}

    def get(self, cell: Cell, id: str) -> EvalSample:
        assert cell.samples is not None
        epoch = int(cell.samples.epochs[cell.samples.ids == id].min())
        key = (cell.log, id, epoch)
        if key not in self._read:
            self._read[key] = read_eval_log_sample(
                cell.log, id, epoch, exclude_fields={"messages", "events", "attachments", "events_data"}
            )
        return self._read[key]


def _case(table: Table, row: Row, position: int, naive: int, number: int, samples: _Samples) -> Case:
    id = str(table.questions.ids[number])
    base, own = samples.get(table.rows[naive].cell, id), samples.get(row.cell, id)
    values = table.questions.values[table.headline]
    gold = frozenset(map(str, own.metadata.get("gold_documents") or ()))
    before, after = mark(
        _documents(own.metadata.get("documents")), _documents(own.store.get("BridgeStore:documents")), gold
    )
    targets = [own.target] if isinstance(own.target, str) else list(own.target)
    return Case(
        id=id,
        question=_cut(own.input if isinstance(own.input, str) else own.input[-1].text),
        gold=tuple(_cut(target) for target in targets),
        question_type=str(table.questions.types[number]),
        naive=_answer(base, float(values[number, naive]), table.rows[naive].cell),
        bridge=_answer(own, float(values[number, position]), row.cell),
        before=tuple(before),
        after=tuple(after),
    )


def _answer(sample: EvalSample, score: float, cell: Cell) -> Answer:
    return Answer(_cut(sample.output.completion), score, cell.log, sample.epoch)


def _documents(found: Any) -> Sequence[Document]:
    return [Document.from_dict(document) for document in found or ()]


def _cut(text: str) -> str:
    return text if len(text) <= MOST_ANSWER else f"{text[:MOST_ANSWER]}… ({len(text):,} characters)"
