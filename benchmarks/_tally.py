"""Records are converted one by one, and every record that is left out is counted."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, Literal, TypeVar

from bridgebench.benchmarks._fields import Record, shown
from bridgebench.benchmarks._files import Item
from bridgebench.errors import RecordError

T = TypeVar("T")

_LISTED = 100
"""Most skipped records that a log lists; all are counted."""


@dataclass
class Tally:
    """What became of the records of a source.

    Attributes:
        read: All of them.
        skipped: Bad ones, and those that repeat an id.
        skipped_records: What was wrong with the first hundred.
        excluded: Good ones that are no part of what was asked for, by reason.
    """

    read: int = 0
    skipped: int = 0
    skipped_records: list[str] = field(default_factory=list)
    excluded: Counter[str] = field(default_factory=Counter)

    def to_dict(self) -> dict[str, Any]:
        """As JSON types."""
        return {
            "read": self.read,
            "skipped": self.skipped,
            "skipped_records": self.skipped_records,
            "excluded": dict(self.excluded),
        }


def convert_records(
    items: Iterable[Item],
    convert: Callable[[Record], T],
    id: Callable[[T], str],
    tally: Tally,
    *,
    on_bad_record: Literal["raise", "skip"] = "raise",
    exclude: Callable[[T], str | None] = lambda made: None,
) -> Iterator[T]:
    """Convert records as they stream by; none is held.

    Args:
        items: Records of a source.
        convert: The loader.
        id: The id of what it makes, which no two records may share.
        tally: Updated on the way.
        on_bad_record: What to do with a record that cannot be converted, or repeats an id.
        exclude: The reason why something is no part of what was asked for, or None.

    Raises:
        RecordError: For the first bad record, unless they are skipped.
    """
    places: dict[str, tuple[str, str]] = {}
    for item in items:
        tally.read += 1
        try:
            if isinstance(item, RecordError):
                raise item
            made = convert(item)
            if reason := exclude(made):
                tally.excluded[reason] += 1
                continue
            if first := places.get(id(made)):
                raise item.error("id", f"{shown(id(made))} is also the id of {first[1]} of {first[0]}")
            places[id(made)] = (item.file, item.place)
        except RecordError as error:
            if on_bad_record == "raise":
                raise
            tally.skipped += 1
            if len(tally.skipped_records) < _LISTED:
                tally.skipped_records.append(str(error))
            continue
        yield made
