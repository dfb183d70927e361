"""A record of a dataset, read field by field: every wrong one is named by file, record and field."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, cast

from bridgebench.errors import RecordError

_ID_FIELDS = ("_id", "id", "query_id", "interaction_id", "question_id")


@dataclass(frozen=True, slots=True)
class Record:
    """One object of an upstream file, or one row nested in it.

    Attributes:
        values: The object as it was read; never changed.
        file: Where it came from: a path, or a dataset of the hub.
        place: Where it stands in there, for example ``line 12``.
        path: For a nested row, the way to it: ``context[3].``.
    """

    values: Mapping[str, Any]
    file: str
    place: str
    path: str = ""

    def error(self, field: str, problem: str) -> RecordError:
        """The error that names this record's file, place and `field`."""
        return RecordError(self.file, self.place, f"{self.path}{field}", problem)

    def has(self, field: str) -> bool:
        """Whether the field is there and not null."""
        return self.values.get(field) is not None

    def value(self, field: str) -> Any:
        """The field as it is; an error when it is missing or null."""
        if field not in self.values:
            raise self.error(field, "is missing")
        if self.values[field] is None:
            raise self.error(field, "is null")
        return self.values[field]

    def text(self, field: str, *, blank: bool = False) -> str:
        """A string; `blank` allows one without any visible character."""
        value = self.value(field)
        if problem := _text_problem(value, blank):
            raise self.error(field, problem)
        return cast(str, value)

    def texts(self, field: str, *, blank: bool = False) -> list[str]:
        """A list of strings, perhaps empty, perhaps as JSON; `blank` allows members without any visible character."""
        values = self._list(field, self._decoded(field))
        for index, value in enumerate(values):
            if problem := _text_problem(value, blank):
                raise self.error(f"{field}[{index}]", problem)
        return values

    def text_lists(self, field: str) -> list[list[str]]:
        """A list of lists of strings, any of them perhaps empty."""
        rows = self._list(field, self.value(field))
        listed = {f"{field}[{index}]": row for index, row in enumerate(rows)}
        inner = Record(listed, self.file, self.place, self.path)
        return [inner.texts(name, blank=True) for name in listed]

    def choice(self, field: str, options: tuple[str, ...]) -> str:
        """One of `options`."""
        value = self.text(field)
        if value not in options:
            raise self.error(field, f"must be one of {', '.join(options)}, got {shown(value)}")
        return value

    def integer(self, field: str) -> int:
        """A whole number."""
        value = self.value(field)
        if not isinstance(value, int) or isinstance(value, bool):
            raise self.error(field, f"must be a whole number, got {shown(value)}")
        return value

    def boolean(self, field: str) -> bool:
        """True or false."""
        value = self.value(field)
        if not isinstance(value, bool):
            raise self.error(field, f"must be true or false, got {shown(value)}")
        return value

    def identifier(self, *fields: str) -> str:
        """The first of `fields` that the record has, as a string; numbers are allowed."""
        for field in fields:
            if self.has(field):
                value = self.value(field)
                return str(value) if isinstance(value, int) and not isinstance(value, bool) else self.text(field)
        raise self.error(fields[0], "is missing")

    def rows(self, field: str, *columns: str, optional: tuple[str, ...] = ()) -> list["Record"]:
        """Rows of a nested table, whichever way upstream wrote it.

        A list of objects; a list of lists in the order of `columns` (raw HotpotQA); an object of equally long
        lists (how the hub stores a sequence of objects); or any of these as a JSON string.

        Args:
            field: The table.
            *columns: Columns that every row must have.
            optional: Columns that an object of lists may lack.
        """
        table = self._decoded(field)
        if isinstance(table, Mapping):
            return list(self._from_columns(field, table, columns, optional))
        rows = self._list(field, table)
        return [self._from_row(f"{field}[{index}]", row, columns) for index, row in enumerate(rows)]

    def _decoded(self, field: str) -> Any:
        """The value; some copies write lists and tables as JSON inside a string."""
        value = self.value(field)
        if not isinstance(value, str):
            return value
        try:
            return json.loads(value)
        except (ValueError, RecursionError) as error:
            raise self.error(field, f"is a string, but not JSON: {error}") from None

    def _from_columns(
        self, field: str, table: Mapping[str, Any], columns: tuple[str, ...], optional: tuple[str, ...]
    ) -> Iterator["Record"]:
        inner = Record(table, self.file, self.place, f"{self.path}{field}.")
        present = [*columns, *(column for column in optional if inner.has(column))]
        lists = {column: inner._list(column, inner.value(column)) for column in present}
        lengths = {column: len(values) for column, values in lists.items()}
        if len(set(lengths.values())) > 1:
            raise self.error(field, f"its columns differ in length: {lengths}")
        for index, row in enumerate(zip(*lists.values(), strict=True)):
            values = dict(zip(lists, row, strict=True))
            yield Record(values, self.file, self.place, f"{self.path}{field}[{index}].")

    def _from_row(self, field: str, row: Any, columns: tuple[str, ...]) -> "Record":
        if isinstance(row, list | tuple):
            if len(row) != len(columns):
                raise self.error(field, f"must hold {', '.join(columns)}, got {len(row)} values")
            row = dict(zip(columns, row, strict=True))
        if not isinstance(row, Mapping):
            raise self.error(field, f"must be an object, got {shown(row)}")
        return Record(row, self.file, self.place, f"{self.path}{field}.")

    def _list(self, field: str, value: Any) -> list[Any]:
        if not isinstance(value, list | tuple):
            raise self.error(field, f"must be a list, got {shown(value)}")
        return list(value)


def describe_place(values: Mapping[str, Any], place: str) -> str:
    """The place with the record's own id beside it, where it has one that can be shown."""
    for field in _ID_FIELDS:
        if isinstance(values.get(field), str | int):
            return f"{place} ({field} {shown(values[field])})"
    return place


def _text_problem(value: Any, blank: bool) -> str | None:
    """What is wrong with a string, or None."""
    if not isinstance(value, str):
        return f"must be a string, got {shown(value)}"
    if not blank and not value.strip():
        return "is empty"
    if not value.isascii():
        try:
            value.encode()
        except UnicodeEncodeError:  # JSON can spell half a surrogate pair; no log or tokenizer takes it
            return "is not valid Unicode (a lone surrogate)"
    return None


def shown(value: Any) -> str:
    """A value as an error may show it: on one line, never long."""
    if isinstance(value, list | tuple | Mapping):
        return f"a list of {len(value)}" if not isinstance(value, Mapping) else f"an object of {len(value)}"
    text = json.dumps(value) if value is None or isinstance(value, bool | int | float | str) else type(value).__name__
    return text if len(text) <= 60 else f"{text[:57]}..."
