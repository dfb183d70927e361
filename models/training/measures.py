"""What is worth knowing of a data set of rewrites: pure functions."""

from collections.abc import Sequence
from statistics import mean
from typing import Any

from bridgebench.document import Document
from bridgebench.scorers.context_measures import added_words, answer_measures
from bridgebench.scorers.qa_metrics import normalise_answer

RUN = 5
"""Words that stand in the same order in a document to count as copied."""


def spread(values: Sequence[float]) -> dict[str, float]:
    """Number, mean, median, 95th percentile (nearest rank) and largest; the number alone for no values."""
    if not values:
        return {"count": 0}
    ranked = sorted(values)
    at = {name: ranked[max(0, -(-len(ranked) * share // 100) - 1)] for name, share in (("median", 50), ("p95", 95))}
    return {"count": len(ranked), "mean": mean(ranked), **at, "largest": ranked[-1]}


def share(part: float, whole: float) -> float | None:
    """A fraction; None of nothing."""
    return part / whole if whole else None


def leaks(documents: Sequence[Document], rewrites: Sequence[str], golds: Sequence[str]) -> bool:
    """Whether rewrites state a gold answer that no document states (golds that any text holds, as yes, aside)."""
    return answer_measures(documents, _as_documents(rewrites), golds, ())["answer_added"] == 1.0


def states_gold(rewrites: Sequence[str], golds: Sequence[str]) -> bool | None:
    """Whether any rewrite states a gold answer in so many words; None where that is not asked (see `leaks`)."""
    stated = answer_measures([], _as_documents(rewrites), golds, ())["answer_in_context"]
    return None if stated != stated else bool(stated)


def added_share(documents: Sequence[Document], rewrite: str) -> float:
    """Share of a rewrite's normalised words that no document of the question holds; nan for no words."""
    every = tuple(document.id for document in documents)
    return added_words(documents, [Document("rewrite", "", rewrite, every)])


def copied_share(documents: Sequence[Document], rewrite: str) -> float | None:
    """Share of a rewrite's runs of `RUN` words that a document of the question has too; None for shorter texts."""
    held = {run for document in documents for run in runs(document.full_text, RUN)}
    own = runs(rewrite, RUN)
    return share(sum(run in held for run in own), len(own))


def mean_of(values: Sequence[float | None]) -> float | None:
    """Mean of those that are there; None where there is none."""
    present = [value for value in values if value is not None and value == value]
    return mean(present) if present else None


def _as_documents(texts: Sequence[str]) -> list[Document]:
    return [Document(str(number), "", text) for number, text in enumerate(texts) if text]


def runs(text: str, length: int) -> list[tuple[str, ...]]:
    """All runs of `length` normalised words of a text, in order."""
    words = normalise_answer(text).split()
    return [tuple(words[start : start + length]) for start in range(len(words) - length + 1)]


def rounded(value: Any) -> Any:
    """A report's figures to four decimals, whatever holds them."""
    if isinstance(value, float):
        return round(value, 4)
    if isinstance(value, dict):
        return {key: rounded(item) for key, item in value.items()}
    return [rounded(item) for item in value] if isinstance(value, list | tuple) else value
