"""JSON lines in, records or errors that name the line and the field out."""

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeVar

from bridgebench.errors import BridgebenchError, RecordError

T = TypeVar("T")


def read_records(
    path: Path, parse: Callable[[Mapping[str, Any], "Fields"], T], skip: bool = False
) -> tuple[dict[str, T], list[RecordError]]:
    """Read a JSONL file whose records carry an ``id``; blank lines are passed over.

    Args:
        path: UTF-8 file, with or without a byte order mark.
        parse: Turns one record into what is wanted; `Fields` makes its errors.
        skip: Collect bad records instead of raising the first.

    Returns:
        Records by id, in file order, and the errors of those left out.

    Raises:
        RecordError: For the first bad record, unless `skip`.
        BridgebenchError: When the file cannot be read, or no record in it can.
    """
    records: dict[str, T] = {}
    lines: dict[str, int] = {}
    bad: list[RecordError] = []
    try:
        with path.open("rb") as file:
            for number, raw in enumerate(file, start=1):
                line = raw.removeprefix(b"\xef\xbb\xbf") if number == 1 else raw
                if not line.strip():
                    continue
                fields = Fields(str(path), number)
                try:
                    record = fields.record(line)
                    id = fields.id(record)
                    if id in lines:
                        raise fields.error("id", f"'{id}' is also on line {lines[id]}")
                    records[id] = parse(record, fields)
                    lines[id] = number
                except RecordError as error:
                    if not skip:
                        raise
                    bad.append(error)
    except OSError as error:
        raise BridgebenchError(f"{path}: cannot be read: {error.strerror}") from error
    if not records:
        raise BridgebenchError(f"{path}: no usable record ({len(bad)} bad)")
    return records, bad


class Fields:
    """Typed access to the fields of one line; every error names file, line and field."""

    def __init__(self, file: str, line: int) -> None:
        self._file, self._line = file, line

    def error(self, field: str, problem: str) -> RecordError:
        return RecordError(self._file, f"line {self._line}", field, problem)

    def record(self, line: bytes) -> Mapping[str, Any]:
        """The JSON object of a line."""
        try:
            value = json.loads(line.decode("utf-8"))
        except UnicodeDecodeError as error:
            raise self.error("(line)", f"not UTF-8: {error.reason} at byte {error.start}") from error
        except (ValueError, RecursionError) as error:  # ValueError: also integers of absurd length
            raise self.error("(line)", f"not JSON: {error}") from error
        if not isinstance(value, dict):
            raise self.error("(line)", f"must be a JSON object, got {type(value).__name__}")
        return value

    def id(self, record: Mapping[str, Any]) -> str:
        """The record's id as a string; numbers are taken as written."""
        value = record.get("id")
        if isinstance(value, bool) or not isinstance(value, str | int) or value == "":
            raise self.error("id", f"must be a non-empty string or an integer, got {value!r}")
        return str(value)

    def text(self, record: Mapping[str, Any], field: str) -> str:
        value = record.get(field)
        if not isinstance(value, str):
            raise self.error(field, _problem("a string", record, field))
        return value

    def texts(self, record: Mapping[str, Any], field: str) -> list[str]:
        """A non-empty list of strings."""
        value = record.get(field)
        if not isinstance(value, list) or not value or not all(isinstance(item, str) for item in value):
            raise self.error(field, _problem("a non-empty list of strings", record, field))
        return value


def _problem(wanted: str, record: Mapping[str, Any], field: str) -> str:
    return f"must be {wanted}, got {record[field]!r:.80}" if field in record else f"must be {wanted}, but is absent"
