"""Whatever is done to a record or a file ends in the named error or a counted skip; nothing is lost silently."""

import codecs
import copy
import gzip
import json
import random
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from inspect_ai.dataset import Sample

from bridgebench.benchmarks._fields import Record
from bridgebench.benchmarks._files import DataFile, read_file
from bridgebench.benchmarks._tally import Tally, convert_records
from bridgebench.errors import BridgebenchError, RecordError

NAMES = ("hotpotqa", "twowiki", "musique", "ambigqa", "msmarco", "crag", "longbench", "arxiv_cards")
JUNK: list[Any] = [
    *(None, True, 0, -1, 10**30, 1.5, float("nan"), float("inf")),
    *("", " \n", "x", "x" * 100_000, "\x00", "a\ud800", "\u202e", "[]", "{", "[" * 50_000, "<div>" * 2_000),
    *([], {}, [[]], [None], [{}], {"a": 1}, [[[[[["x"]]]]]], ["x"] * 1_000),
]

few = settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))


def places(value: Any) -> Iterator[tuple[Any, Any]]:
    """Every (container, key) inside a record."""
    keys = list(value) if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else []
    for key in keys:
        yield value, key
        yield from places(value[key])


def mutate(record: dict[str, Any], rng: random.Random) -> dict[str, Any]:
    """A copy with one to three things wrong."""
    mutated = copy.deepcopy(record)
    for _ in range(rng.randint(1, 3)):
        at = list(places(mutated))
        if not at:
            break
        container, key = rng.choice(at)
        what = rng.randrange(5)
        if what == 0:
            del container[key]
        elif what == 1:
            container[key] = [container[key]]
        elif what == 2 and isinstance(container, list):
            container.append(copy.deepcopy(container[key]))
        elif what == 3:
            container[key] = json.dumps(container[key])
        else:
            container[key] = copy.deepcopy(rng.choice(JUNK))
    return mutated


def check(made: Any) -> None:
    """What a loader lets through can be logged, told apart, and traced."""
    if not isinstance(made, Sample):
        return
    json.dumps(made.model_dump()).encode()
    metadata = made.metadata or {}
    ids = [document["id"] for document in metadata["documents"]]
    assert made.id
    assert made.input
    assert made.target
    assert all(made.target)
    assert len(set(ids)) == len(ids)
    assert set(metadata["gold_documents"]) <= set(ids)


@pytest.mark.parametrize("name", NAMES)
def test_untouched_records_pass(
    loaders: dict[str, Callable[[Record], Any]], seeds: Callable[[str], list[dict[str, Any]]], name: str
) -> None:
    for record in seeds(name):
        if name == "msmarco" and not record["answers"]:
            continue
        check(loaders[name](Record(record, "records.jsonl", "line 1")))


@pytest.mark.parametrize("name", NAMES)
@few
@given(rng=st.randoms(use_true_random=False))
def test_mutated_records(
    loaders: dict[str, Callable[[Record], Any]],
    seeds: Callable[[str], list[dict[str, Any]]],
    name: str,
    rng: random.Random,
) -> None:
    mutated = mutate(rng.choice(seeds(name)), rng)
    try:
        made = loaders[name](Record(mutated, "records.jsonl", "line 1"))
    except RecordError as error:
        assert str(error).startswith("records.jsonl: line 1: field '")  # noqa: PT017
        assert len(str(error)) < 1_000  # noqa: PT017
    else:
        check(made)


def damage(content: bytes, rng: random.Random) -> bytes:
    """What disks and downloads do to a file."""
    position = rng.randrange(len(content) + 1)
    return rng.choice(
        [
            content[:position],
            content[position:],
            content[:position] + rng.randbytes(3) + content[position:],
            content[:position] + b"\n" + content[position:],
            content * 2,
            b"",
        ]
    )


def resave(content: bytes, rng: random.Random) -> bytes:
    """What editors do to a text."""
    return rng.choice(
        [
            content,
            content.replace(b"\n", b"\r\n"),
            codecs.BOM_UTF8 + content,
            content.decode().encode("utf-16"),
            content.decode().encode("latin-1", "replace"),
        ]
    )


def convert(path: Path, loader: Callable[[Record], Any]) -> Tally:
    """Read a file with bad records skipped; every record must be in the tally."""
    tally = Tally()
    identity = iter(range(10_000))
    items = read_file(DataFile("records", path))
    made = list(convert_records(items, loader, lambda _: str(next(identity)), tally, on_bad_record="skip"))
    assert len(made) + tally.skipped == tally.read
    assert len(tally.skipped_records) == min(tally.skipped, 100)
    return tally


@pytest.mark.parametrize("name", NAMES)
@settings(few, max_examples=60)
@given(rng=st.randoms(use_true_random=False))
def test_damaged_files(
    loaders: dict[str, Callable[[Record], Any]],
    seeds: Callable[[str], list[dict[str, Any]]],
    name: str,
    rng: random.Random,
) -> None:
    records = [copy.deepcopy(record) for record in seeds(name)[:3]]
    text = "".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records).encode()
    suffix, whole = rng.choice([(".jsonl", text), (".json", json.dumps(records).encode()), (".jsonl.gz", text)])
    content = damage(resave(whole, rng), rng)
    if suffix == ".jsonl.gz":
        content = damage(gzip.compress(content, 1, mtime=0), rng)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"records{suffix}"
        path.write_bytes(content)
        try:
            tally = convert(path, loaders[name])
        except BridgebenchError as error:
            assert not isinstance(error, RecordError)  # noqa: PT017
            assert str(error).startswith("records: ")  # noqa: PT017
        else:
            if suffix == ".jsonl":
                lines = content.removeprefix(codecs.BOM_UTF8).split(b"\n")
                assert tally.read == sum(bool(line.strip()) for line in lines)
