"""Records of one file, streamed: JSON, JSONL and Parquet, plain or compressed, on disk or inside a zip.

A bad *record* is handed on as the error it is, so that the caller may skip and count it. A broken *file* raises:
what is missing from it cannot be counted.
"""

import bz2
import gzip
import json
import zipfile
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from io import BufferedReader
from itertools import zip_longest
from pathlib import Path
from typing import Any, cast

import ijson
import pyarrow
import pyarrow.parquet

from bridgebench.benchmarks._fields import Record, describe_place
from bridgebench.errors import BridgebenchError, RecordError

SUFFIXES = (".json", ".jsonl", ".parquet")
_COMPRESSED: dict[str, Callable[[Any], Any]] = {".gz": gzip.open, ".bz2": bz2.open}
_BOM = b"\xef\xbb\xbf"
_BROKEN = (OSError, EOFError, zlib.error, zipfile.BadZipFile, pyarrow.ArrowException, ijson.JSONError, ValueError)

Item = Record | RecordError
"""A record, or why there is none at this place."""


@dataclass(frozen=True)
class DataFile:
    """A readable file of records.

    Attributes:
        name: As errors show it.
        path: Where it lies on disk.
        member: Its name inside `path`, when that is a zip.
        keyed: Whether a ``.json`` file is an object of records by their ids (raw Qasper).
    """

    name: str
    path: Path
    member: str | None = None
    keyed: bool = False

    @property
    def suffix(self) -> str:
        """``.json``, ``.jsonl`` or ``.parquet``; empty when it is none of these."""
        return record_suffix(self.member or self.path.name)

    def open(self) -> BufferedReader:
        """The decompressed bytes, in a stream that can peek."""
        decompressed = _COMPRESSED.get(Path(self.member or self.path.name).suffix)
        if self.member is not None:
            with zipfile.ZipFile(self.path) as archive:
                stream: Any = archive.open(self.member)
            return cast(BufferedReader, decompressed(stream) if decompressed else stream)
        return cast(BufferedReader, decompressed(self.path) if decompressed else self.path.open("rb"))


def record_file(argument: str, path: str, hint: str = "") -> DataFile:
    """The one file of records that a task's argument names.

    Raises:
        BridgebenchError: When there is no such file, with the `hint` how it comes about, or its suffix is another.
    """
    file = Path(path).expanduser()
    if not file.is_file():
        raise BridgebenchError(f"{argument} '{path}': there is no such file{hint}")
    if not record_suffix(file.name):
        raise BridgebenchError(f"{argument} '{path}': must be a .json, .jsonl or .parquet file, perhaps .gz or .bz2")
    return DataFile(str(file), file)


def record_suffix(name: str) -> str:
    """Suffix of a file of records without that of its compression; empty when it holds no records."""
    path = Path(name)
    if path.name.startswith("._"):  # what macOS puts beside each file of a zip or a foreign disk, under its name
        return ""
    if path.suffix in _COMPRESSED:
        path = path.with_suffix("")
    return path.suffix if path.suffix in SUFFIXES else ""


def read_file(file: DataFile) -> Iterator[Item]:
    """Stream the records of a file in order.

    ``.json`` is a list of objects, an object of columns (pandas' ``{"query": {"0": ...}}``, as raw MS MARCO is
    written) or, misnamed, one object a line.

    Raises:
        BridgebenchError: When the file cannot be read to its end.
    """
    reader = {".jsonl": read_lines, ".parquet": _read_parquet, ".json": _read_json}[file.suffix]
    count = 0
    try:
        for item in reader(file):
            yield item
            count += 1
    except BridgebenchError:
        raise
    except _BROKEN as error:
        raise BridgebenchError(f"{file.name}: cannot be read past its first {count} records: {error}") from error


def read_lines(file: DataFile) -> Iterator[Item]:
    """Stream a file of one JSON object a line; blank lines count, but are no records."""
    with file.open() as stream:
        for number, line in enumerate(stream, 1):
            if number == 1:
                line = line.removeprefix(_BOM)
            if line := line.strip():
                yield _parse(line, file.name, f"line {number}")


def _parse(line: bytes, file: str, place: str) -> Item:
    try:
        return as_item(json.loads(line.decode()), file, place)
    except UnicodeDecodeError as error:
        return RecordError(file, place, "(record)", f"is not UTF-8 at byte {error.start}")
    except (ValueError, RecursionError) as error:
        return RecordError(file, place, "(record)", f"is not JSON: {error}")


def as_item(value: Any, file: str, place: str) -> Item:
    """A record out of what was read, or the error that it is none."""
    if not isinstance(value, dict):
        return RecordError(file, place, "(record)", f"must be a JSON object, got {type(value).__name__}")
    return Record(value, file, describe_place(value, place))


def _read_parquet(file: DataFile) -> Iterator[Item]:
    with file.open() as stream:
        number = 0
        for batch in pyarrow.parquet.ParquetFile(stream).iter_batches(batch_size=64):
            for row in batch.to_pylist():
                number += 1
                yield as_item(row, file.name, f"row {number}")


def _read_json(file: DataFile) -> Iterator[Item]:
    with _open_text(file) as stream:
        start = stream.peek(64).lstrip()[:1]
        if start == b"[":
            for number, value in enumerate(ijson.items(stream, "item", use_float=True), 1):
                yield as_item(value, file.name, f"record {number}")
            return
        if file.keyed and start == b"{":
            for key, value in ijson.kvitems(stream, "", use_float=True):
                yield as_item({"id": key, **value} if isinstance(value, dict) else value, file.name, f"record '{key}'")
            return
    yield from (_read_columns if _is_columnar(file) else read_lines)(file)


def _open_text(file: DataFile) -> BufferedReader:
    stream = file.open()
    if stream.peek(3)[:3] == _BOM:
        stream.read(3)
    return stream


def _is_columnar(file: DataFile) -> bool:
    """Whether the first value is an object whose first key is a row number."""
    with _open_text(file) as stream:
        events = ijson.basic_parse(stream, multiple_values=True)
        first = [next(events, ("", None)) for _ in range(4)]
    kinds = [kind for kind, _ in first]
    return kinds == ["start_map", "map_key", "start_map", "map_key"] and str(first[3][1]).isdigit()


def _read_columns(file: DataFile) -> Iterator[Item]:
    """Rows of an object of columns: one reader a column, side by side, so that memory stays bounded."""
    with _open_text(file) as stream:
        names = [value for prefix, event, value in ijson.parse(stream) if event == "map_key" and not prefix]
    streams = [_open_text(file) for _ in names]
    try:
        columns = [ijson.kvitems(stream, name, use_float=True) for stream, name in zip(streams, names, strict=True)]
        for cells in zip_longest(*columns):
            keys = {cell[0] if cell else None for cell in cells}
            if len(keys) != 1:
                raise BridgebenchError(f"{file.name}: its columns {', '.join(names)} do not hold the same rows")
            values = {name: cell[1] for name, cell in zip(names, cells, strict=True)}
            yield as_item(values, file.name, f"row '{keys.pop()}'")
    finally:
        for stream in streams:
            stream.close()
