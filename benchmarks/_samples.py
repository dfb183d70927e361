"""Records become samples one by one, and every record that does not is counted."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from inspect_ai.dataset import Sample

from bridgebench.benchmarks._fields import Record
from bridgebench.benchmarks._files import Item
from bridgebench.document import Document
from bridgebench.errors import RecordError

Convert = Callable[[Record], Sample]
"""A loader: one upstream record to one sample; raises `RecordError`."""

_SHOWN = 100
"""Most skipped records that the log lists; all are counted."""


@dataclass
class Tally:
    """What became of the records of a source."""

    read: int = 0
    skipped: int = 0
    skipped_records: list[str] = field(default_factory=list)
    excluded: Counter[str] = field(default_factory=Counter)


def make_sample(
    id: str,
    question: str,
    answers: str | list[str],
    documents: Sequence[Document],
    gold: Sequence[str],
    **metadata: Any,
) -> Sample:
    """A sample as solvers and scorers expect it; `metadata` adds grouping keys and, in ``counts``, oddities met."""
    common = {"documents": [document.to_dict() for document in documents], "gold_documents": list(gold), "cluster": id}
    return Sample(id=id, input=question, target=answers, metadata={**common, **metadata})


def read_samples(
    items: Iterable[Item],
    convert: Convert,
    tally: Tally,
    *,
    on_bad_record: Literal["raise", "skip"] = "raise",
    exclude: Callable[[Sample], str | None] = lambda sample: None,
) -> Iterator[Sample]:
    """Convert records one by one, keeping the tally; none is held.

    Args:
        items: Records of a source.
        convert: The loader.
        tally: Updated as the records go by.
        on_bad_record: What to do with one that cannot be read, or repeats an id.
        exclude: The reason why a sample is no part of the benchmark, or None.

    Raises:
        RecordError: For the first bad record, unless they are skipped.
    """
    places: dict[str, str] = {}
    for item in items:
        tally.read += 1
        try:
            if isinstance(item, RecordError):
                raise item
            sample = convert(item)
            if reason := exclude(sample):
                tally.excluded[reason] += 1
                continue
            if first := places.get(str(sample.id)):
                raise item.error("id", f"'{sample.id}' is also the id of {first}")
            places[str(sample.id)] = item.place
        except RecordError as error:
            if on_bad_record == "raise":
                raise
            tally.skipped += 1
            if len(tally.skipped_records) < _SHOWN:
                tally.skipped_records.append(str(error))
            continue
        yield sample
