"""What a loader makes of a record: the sample that solvers and scorers expect."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from inspect_ai.dataset import Sample

from bridgebench.benchmarks._fields import Record
from bridgebench.document import Document

Convert = Callable[[Record], Sample]
"""A loader: one upstream record to one sample; raises `RecordError`."""

Exclude = Callable[[Sample], str | None]
"""Says why a sample is no part of what was asked for, or None."""


def make_sample(
    id: str,
    question: str,
    answers: str | list[str],
    documents: Sequence[Document],
    gold: Sequence[str],
    counts: Mapping[str, int] | None = None,
    **metadata: Any,
) -> Sample:
    """A sample as solvers and scorers expect it.

    Args:
        id: Stable id.
        question: What bridges and generator are asked.
        answers: Acceptable answers.
        documents: As retrieved.
        gold: Ids of those that support the answer, where the dataset says so.
        counts: Oddities of the record by kind, summed in the task's metadata; zeros are left out.
        **metadata: Grouping keys and settings.
    """
    empty = sum(not document.text.strip() for document in documents)
    common = {
        "documents": [document.to_dict() for document in documents],
        "gold_documents": list(gold),
        "cluster": id,
        "counts": {kind: n for kind, n in {"empty_documents": empty, **(counts or {})}.items() if n},
    }
    return Sample(id=id, input=question, target=answers, metadata={**common, **metadata})


def sample_id(sample: Sample) -> str:
    """Its id; loaders give every sample one."""
    return str(sample.id)


def keep(sample: Sample) -> None:
    """Exclude nothing."""
