"""Indexes on disk: whole or absent, built once, safe when two build at once."""

from pathlib import Path
from typing import Any

import anyio
import pytest

from bridgebench.paths import cache_dir
from bridgebench.solvers.retrieval.store import read_figures, stored_index


def test_it_is_built_once_and_says_what_it_took() -> None:
    built = []

    async def build(folder: Path) -> dict[str, Any]:
        (folder / "data").write_bytes(b"12345")
        built.append(folder)
        return {"vectors": 3}

    first = anyio.run(stored_index, {"a": 1}, build)
    assert anyio.run(stored_index, {"a": 1}, build) == first
    assert len(built) == 1
    figures = read_figures(first)
    assert (figures["vectors"], figures["bytes"]) == (3, 5)
    assert figures["build_seconds"] >= 0
    assert anyio.run(stored_index, {"a": 2}, build) != first


def test_of_two_that_build_at_once_one_wins() -> None:
    async def build(folder: Path) -> dict[str, Any]:
        await anyio.sleep(0.05)
        (folder / "data").write_bytes(b"1")
        return {}

    async def both() -> list[Path]:
        found: list[Path] = []

        async def one() -> None:
            found.append(await stored_index({"b": 1}, build))

        async with anyio.create_task_group() as group:
            group.start_soon(one)
            group.start_soon(one)
        return found

    first, second = anyio.run(both)
    assert first == second
    assert [path.name for path in (cache_dir() / "indexes").iterdir()] == [first.name], "nothing is left aside"


def test_a_failure_leaves_nothing() -> None:
    async def build(folder: Path) -> dict[str, Any]:
        (folder / "data").write_bytes(b"1")
        raise RuntimeError("no memory")

    with pytest.raises(RuntimeError, match="no memory"):
        anyio.run(stored_index, {"c": 1}, build)
    assert not list((cache_dir() / "indexes").iterdir())
