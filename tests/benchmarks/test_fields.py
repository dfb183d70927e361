"""A wrong field is named; every shape upstream writes a table in gives the same rows."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from bridgebench.benchmarks._fields import Record
from bridgebench.errors import RecordError

SHAPES: list[Any] = [
    [{"title": "a", "n": 1}, {"title": "b", "n": 2}],
    [["a", 1], ["b", 2]],
    {"title": ["a", "b"], "n": [1, 2]},
    json.dumps([["a", 1], ["b", 2]]),
    json.dumps({"title": ["a", "b"], "n": [1, 2]}),
]


@pytest.mark.parametrize("table", SHAPES)
def test_rows_of_every_shape(as_record: Callable[..., Record], table: Any) -> None:
    rows = as_record({"facts": table}).rows("facts", "title", "n")
    assert [(row.text("title"), row.integer("n")) for row in rows] == [("a", 1), ("b", 2)]


@pytest.mark.parametrize(
    ("read", "values", "expected"),
    [
        (lambda r: r.text("x"), {}, "field 'x': is missing"),
        (lambda r: r.text("x"), {"x": None}, "field 'x': is null"),
        (lambda r: r.text("x"), {"x": 3}, "field 'x': must be a string, got 3"),
        (lambda r: r.text("x"), {"x": " \n"}, "field 'x': is empty"),
        (lambda r: r.text("x"), {"x": "a\ud800"}, "field 'x': is not valid Unicode"),
        (lambda r: r.texts("x"), {"x": ["a", 3]}, r"field 'x\[1\]': must be a string, got 3"),
        (lambda r: r.texts("x"), {"x": {"a": 1}}, "field 'x': must be a list, got an object of 1"),
        (lambda r: r.texts("x"), {"x": "a"}, "field 'x': is a string, but not JSON"),
        (lambda r: r.text_lists("x"), {"x": [["a"], 3]}, r"field 'x\[1\]': must be a list, got 3"),
        (lambda r: r.integer("x"), {"x": True}, "field 'x': must be a whole number, got true"),
        (lambda r: r.integer("x"), {"x": 1.0}, "field 'x': must be a whole number, got 1.0"),
        (lambda r: r.boolean("x"), {"x": 1}, "field 'x': must be true or false, got 1"),
        (lambda r: r.choice("x", ("a", "b")), {"x": "c"}, "field 'x': must be one of a, b, got \"c\""),
        (lambda r: r.identifier("x", "y"), {}, "field 'x': is missing"),
        (lambda r: r.identifier("x"), {"x": [1]}, "field 'x': must be a string, got a list of 1"),
        (lambda r: r.rows("x", "a"), {"x": [["1", "2"]]}, r"field 'x\[0\]': must hold a, got 2 values"),
        (lambda r: r.rows("x", "a"), {"x": [3]}, r"field 'x\[0\]': must be an object, got 3"),
        (lambda r: r.rows("x", "a", "b"), {"x": {"a": [1], "b": []}}, "field 'x': its columns differ in length"),
        (lambda r: r.rows("x", "a", "b"), {"x": {"a": [1]}}, r"field 'x\.b': is missing"),
        (lambda r: r.rows("x", "a")[0].text("a"), {"x": [{"a": 1}]}, r"field 'x\[0\]\.a': must be a string"),
        (
            lambda r: r.rows("x", "a")[1].rows("a", "b")[0].text("b"),
            {"x": {"a": [[], {"b": [None]}]}},
            r"field 'x\[1\]\.a\[0\]\.b': is null",
        ),
    ],
)
def test_errors_name_file_record_and_field(
    as_record: Callable[..., Record], read: Callable[[Record], Any], values: dict[str, Any], expected: str
) -> None:
    with pytest.raises(RecordError, match=r"^records\.jsonl: line 1: " + expected):
        read(as_record(values))


def test_identifiers_may_be_numbers(as_record: Callable[..., Record]) -> None:
    assert as_record({"query_id": 0}).identifier("_id", "query_id") == "0"


def test_long_values_are_shown_shortened(as_record: Callable[..., Record]) -> None:
    with pytest.raises(RecordError) as error:
        as_record({"x": 10**3000}).text("x")
    assert len(str(error.value)) < 150
