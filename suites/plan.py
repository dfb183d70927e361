"""What a run would do: cells, calls, and what they cost where prices are known."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

from bridgebench.document import Document, count_words
from bridgebench.suites.cells import BridgeWork, Cell, short
from bridgebench.suites.schema import Suite
from bridgebench.suites.tasks import Tasks

TOKENS_A_WORD = 1.4
"""Of English text, roughly; the documents are counted as they were retrieved."""

PROMPT_TOKENS = 100
"""Of the prompt beside the documents, roughly."""


@dataclass(frozen=True)
class PlannedCell:
    """What one cell will take.

    Attributes:
        cell: The cell.
        done: Whether an earlier run finished it.
        samples: Questions times epochs; None where the task cannot be made.
        calls: Generator calls that are left (those of a begun cell count in full).
        dollars: At most, where the generator has a price.
        problem: Why the task cannot be made.
    """

    cell: Cell
    done: bool
    samples: int | None
    calls: int
    dollars: float | None
    problem: str | None


def plan(suite: Suite, cells: Sequence[Cell], done: Collection[str]) -> list[PlannedCell]:
    """Count; this loads the data of every benchmark, and runs nothing.

    Raises:
        BridgebenchError: When a scorer calls a model role that has no model.
    """
    tasks = Tasks()
    tasks.refuse_missing_roles(cells)
    return [_planned(suite, cell, cell.id in done, tasks) for cell in cells]


def bridge_runs(planned: Sequence[PlannedCell]) -> list[tuple[BridgeWork, int]]:
    """Bridges over benchmarks that are left to run, and on how many samples (what the cache holds costs nothing)."""
    left = {item.cell.work.id: item for item in planned if item.cell.work.chain and not item.done}
    return [(item.cell.work, item.samples) for item in left.values() if item.samples is not None]


def _planned(suite: Suite, cell: Cell, done: bool, tasks: Tasks) -> PlannedCell:
    problem = tasks.problem(cell.task, cell.task_args)
    if problem:
        return PlannedCell(cell, done, None, 0, None, problem)
    task = tasks.get(cell.task, cell.task_args)
    samples = len(task.dataset) * cell.epochs
    answers_itself = any(short(name) == "answer_directly" for item in cell.chain for name in item)
    calls = 0 if done or answers_itself else samples
    price = suite.prices.get(cell.generator.model)
    if price is None:
        return PlannedCell(cell, done, samples, calls, None, None)
    empty = any(short(name) == "no_documents" for item in cell.chain for name in item)
    context = 0.0 if empty else sum(_tokens(sample.metadata or {}, cell) for sample in task.dataset) * cell.epochs
    read = (context + samples * PROMPT_TOKENS) * price.input
    written = samples * (cell.generation.get("max_tokens") or task.config.max_tokens or 0) * price.output
    return PlannedCell(cell, done, samples, calls, (read + written) / 1e6 if calls else 0.0, None)


def _tokens(metadata: dict[str, Any], cell: Cell) -> float:
    """Of a context as it was retrieved, roughly, within the suite's budget."""
    words = count_words([Document.from_dict(document) for document in metadata.get("documents", [])])
    budget = cell.reader.get("budget") or words * TOKENS_A_WORD
    return min(words * TOKENS_A_WORD, budget if cell.reader.get("tokenizer") else budget * TOKENS_A_WORD)
