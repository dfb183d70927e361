"""Every format gives the same records; bad records are handed on, broken files raise."""

import bz2
import codecs
import gzip
import json
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow
import pyarrow.parquet
import pytest

from bridgebench.benchmarks._fields import Record
from bridgebench.benchmarks._files import DataFile, read_file
from bridgebench.errors import BridgebenchError, RecordError

ROWS = [{"id": "a", "tags": ["x"], "score": 1.5}, {"id": "é", "tags": [], "score": 2.0}]
LINES = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in ROWS).encode()
COLUMNS = json.dumps({key: {str(i): row[key] for i, row in enumerate(ROWS)} for key in ROWS[0]}).encode()


def values(path: Path, **options: Any) -> list[dict[str, Any]]:
    items = list(read_file(DataFile(path.name, path, **options)))
    assert all(isinstance(item, Record) for item in items), items
    return [dict(item.values) for item in items if isinstance(item, Record)]


def parquet_bytes() -> bytes:
    sink = pyarrow.BufferOutputStream()
    pyarrow.parquet.write_table(pyarrow.Table.from_pylist(ROWS), sink)
    return sink.getvalue().to_pybytes()


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("r.jsonl", LINES),
        ("r.jsonl", codecs.BOM_UTF8 + LINES),
        ("r.jsonl", LINES.replace(b"\n", b"\r\n")),
        ("r.jsonl", b"\n" + LINES + b"\n  \n"),
        ("r.jsonl", LINES.rstrip()),
        ("r.jsonl.gz", gzip.compress(LINES, mtime=0)),
        ("r.jsonl.bz2", bz2.compress(LINES)),
        ("r.json", json.dumps(ROWS).encode()),
        ("r.json", codecs.BOM_UTF8 + json.dumps(ROWS, indent=1).replace("\n", "\r\n").encode()),
        ("r.json.gz", gzip.compress(json.dumps(ROWS).encode(), mtime=0)),
        ("r.json", LINES),
        ("r.json", codecs.BOM_UTF8 + LINES),
        ("r.json", COLUMNS),
        ("r.json.bz2", bz2.compress(COLUMNS)),
        ("r.parquet", parquet_bytes()),
    ],
)
def test_formats(tmp_path: Path, name: str, content: bytes) -> None:
    path = tmp_path / name
    path.write_bytes(content)
    assert values(path) == ROWS


def test_object_of_records_by_id(tmp_path: Path) -> None:
    path = tmp_path / "r.json"
    path.write_text(json.dumps({row["id"]: {k: v for k, v in row.items() if k != "id"} for row in ROWS}))
    assert values(path, keyed=True) == ROWS


def test_member_of_a_zip(tmp_path: Path) -> None:
    path = tmp_path / "data.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("data/r.jsonl", LINES)
        archive.writestr("data/r.parquet", parquet_bytes())
        archive.writestr("data/r.jsonl.gz", gzip.compress(LINES, mtime=0))
        archive.writestr("data/r.json.bz2", bz2.compress(COLUMNS))
    for member in ("data/r.jsonl", "data/r.parquet", "data/r.jsonl.gz", "data/r.json.bz2"):
        assert values(path, member=member) == ROWS


def test_places(tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    path.write_bytes(b"\n" + LINES)
    assert [item.place for item in read_file(DataFile("r", path)) if isinstance(item, Record)] == [
        'line 2 (id "a")',
        'line 3 (id "\\u00e9")',
    ]


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        (b'{"id": "b"', "is not JSON"),
        (b'{"id": "b\xff"}', "is not UTF-8 at byte 9"),
        (b'"b"', "must be a JSON object, got str"),
        (b"[" * 100_000, "is not JSON"),
        ('{"id": "b"}'.encode("utf-16-le"), "is not JSON"),
    ],
)
def test_bad_lines_are_handed_on(tmp_path: Path, line: bytes, problem: str) -> None:
    path = tmp_path / "r.jsonl"
    path.write_bytes(b'{"id": "a"}\n' + line + b'\n{"id": "c"}\n')
    first, bad, *rest = read_file(DataFile("r.jsonl", path))
    assert isinstance(first, Record)
    assert isinstance(bad, RecordError)
    assert str(bad).startswith(f"r.jsonl: line 2: field '(record)': {problem}")
    assert isinstance(rest[-1], Record)


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("r.json", b""),
        ("r.json", json.dumps(ROWS).encode()[:-20]),
        ("r.json", json.dumps(ROWS).encode() + b"]"),
        ("r.json", b'[{"id": "\xff"}]'),
        ("r.json", COLUMNS[:-20]),
        ("r.json", b'{"id": {"0": "a", "1": "b"}, "tags": {"0": []}}'),
        ("r.jsonl.gz", gzip.compress(LINES, mtime=0)[:-9]),
        ("r.jsonl.gz", LINES),
        ("r.jsonl.bz2", bz2.compress(LINES)[:-9]),
        ("r.parquet", parquet_bytes()[:-9]),
        ("r.parquet", b""),
    ],
)
def test_broken_files_raise(tmp_path: Path, name: str, content: bytes) -> None:
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(BridgebenchError, match=f"^{name}: ") as error:
        list(read_file(DataFile(name, path)))
    assert not isinstance(error.value, RecordError)


def test_streams_one_record_at_a_time(tmp_path: Path) -> None:
    """The first record of a list comes before its broken end is looked at."""
    path = tmp_path / "r.json"
    path.write_text("[" + json.dumps(ROWS[0]) + ("," + json.dumps(ROWS[1])) * 5000 + "broken")
    items = read_file(DataFile("r.json", path))
    assert isinstance(next(items), Record)
    with pytest.raises(BridgebenchError, match=r"cannot be read past its first [0-9]{4} records"):
        list(items)


def test_columns_are_read_side_by_side(tmp_path: Path, as_record: Callable[..., Record]) -> None:
    path = tmp_path / "r.json"
    path.write_text('{"id": {"0": "a", "2": "b"}, "n": {"0": 1, "2": 2}}')
    places = [item.place for item in read_file(DataFile("r", path)) if isinstance(item, Record)]
    assert places == ["row '0' (id \"a\")", "row '2' (id \"b\")"]
