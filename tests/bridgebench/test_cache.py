"""The bridge cache: one call a key, hits that keep their cost, damaged files set aside and never deleted."""

import logging
import sqlite3
import subprocess
import sys
from pathlib import Path

import anyio
import pytest
from inspect_ai import Task, eval
from inspect_ai.dataset import Sample

from bridgebench import BridgebenchError, BridgeResult, Cost, Document
from bridgebench.cache import FORMAT, BridgeCache, bridge_cache
from bridgebench.solvers.controls import naive

RESULT = BridgeResult(
    (Document("a", "Title", "text \ud800 \x00 \u2028", ("0", "1")),),
    parse="repaired",
    cost=Cost(seconds=1.5, calls=2, input_tokens=10, output_tokens=3, tokenizer="t", device="cpu"),
    answer="yes",
    notes={"scores": [0.5, None]},
)


def test_a_result_survives_storage_to_the_last_field(tmp_path: Path) -> None:
    cache = BridgeCache(tmp_path / "bridges.sqlite")
    cache.put("key", "bridgebench/naive", RESULT)
    stored = BridgeCache(tmp_path / "bridges.sqlite").get("key")
    assert stored == RESULT


def test_the_first_writer_of_a_key_wins(tmp_path: Path) -> None:
    cache = BridgeCache(tmp_path / "bridges.sqlite")
    cache.put("key", "b", RESULT)
    cache.put("key", "b", BridgeResult(()))
    assert cache.get("key") == RESULT


def test_one_call_in_flight_per_key(tmp_path: Path) -> None:
    cache = BridgeCache(tmp_path / "bridges.sqlite")
    calls: list[str] = []
    found: list[str] = []

    async def work() -> BridgeResult:
        calls.append("call")
        await anyio.sleep(0.02)
        return RESULT

    async def ask() -> None:
        found.append((await cache.get_or_run("key", "b", work))[1])

    async def twenty() -> None:
        async with anyio.create_task_group() as group:
            for _ in range(20):
                group.start_soon(ask)

    anyio.run(twenty)
    assert len(calls) == 1
    assert sorted(found) == ["hit"] * 19 + ["miss"]
    assert not cache._locks  # nothing is kept of a key that nobody waits for


def test_a_failed_call_stores_nothing(tmp_path: Path) -> None:
    cache = BridgeCache(tmp_path / "bridges.sqlite")

    async def fail() -> BridgeResult:
        raise RuntimeError("the machine failed")

    async def ask() -> None:
        with pytest.raises(RuntimeError, match="the machine failed"):
            await cache.get_or_run("key", "b", fail)

    anyio.run(ask)
    assert cache.get("key") is None


@pytest.mark.parametrize(
    "content", [b"not a database, but long enough to be read as one" * 40, b"SQLite format 3\x00" + b"\xff" * 4096]
)
def test_a_damaged_file_is_set_aside(tmp_path: Path, content: bytes, caplog: pytest.LogCaptureFixture) -> None:
    path = tmp_path / "bridges.sqlite"
    path.write_bytes(content)
    with caplog.at_level(logging.WARNING):
        BridgeCache(path).put("key", "b", RESULT)
    (aside,) = tmp_path.glob("*.aside")
    assert aside.read_bytes() == content
    assert str(path) in caplog.text
    assert str(aside) in caplog.text


def test_a_file_of_another_format_is_set_aside(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    path = tmp_path / "bridges.sqlite"
    BridgeCache(path).put("old", "b", RESULT)
    with sqlite3.connect(path) as db:
        db.execute(f"PRAGMA user_version={FORMAT + 1}")
    with caplog.at_level(logging.WARNING):
        assert BridgeCache(path).get("old") is None
    assert f"has format {FORMAT + 1}" in caplog.text
    (aside,) = tmp_path.glob("*.aside")
    with sqlite3.connect(aside) as db:
        assert db.execute("SELECT count(*) FROM results").fetchone() == (1,)


def test_an_unusable_folder_is_a_clear_error(tmp_path: Path) -> None:
    (tmp_path / "folder.sqlite").mkdir()
    (tmp_path / "file").touch()
    for path in (tmp_path / "folder.sqlite", tmp_path / "file" / "bridges.sqlite"):
        with pytest.raises(BridgebenchError, match=rf"bridge cache {path}: "):
            BridgeCache(path).get("key")


def test_nothing_is_opened_for_a_chain_that_caches_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BRIDGEBENCH_BRIDGE_CACHE", str(tmp_path / "cache"))
    (log,) = eval(
        Task([Sample("Who?", metadata={"documents": []})], solver=naive()),
        model="fake/generator",
        log_dir=str(tmp_path / "logs"),
        display="none",
    )
    assert log.status == "success"
    assert not (tmp_path / "cache").exists()


def test_concurrent_processes_write_one_file(tmp_path: Path) -> None:
    script = (
        "import sys\nfrom pathlib import Path\n"
        "from bridgebench import BridgeResult\nfrom bridgebench.cache import BridgeCache\n"
        "cache = BridgeCache(Path(sys.argv[1]))\n"
        "for i in range(200): cache.put(f'{sys.argv[2]}-{i % 150}', 'b', BridgeResult(()))\n"
    )
    path = tmp_path / "bridges.sqlite"
    workers = [subprocess.Popen([sys.executable, "-c", script, str(path), str(w)]) for w in range(3)]
    assert [worker.wait() for worker in workers] == [0, 0, 0]
    with sqlite3.connect(path) as db:
        assert db.execute("SELECT count(*) FROM results").fetchone() == (450,)


def test_merge_brings_what_is_new(tmp_path: Path) -> None:
    one, other = BridgeCache(tmp_path / "one.sqlite"), BridgeCache(tmp_path / "other.sqlite")
    one.put("shared", "b", RESULT)
    other.put("shared", "b", BridgeResult(()))
    other.put("new", "b", RESULT)
    assert one.merge(tmp_path / "other.sqlite") == 1
    assert one.get("shared") == one.get("new") == RESULT


@pytest.mark.parametrize("content", [b"a log, given by mistake" * 40, b""])
def test_merge_leaves_a_file_that_is_no_cache_as_it_is(tmp_path: Path, content: bytes) -> None:
    other = tmp_path / "other.eval"
    other.write_bytes(content)
    with pytest.raises(BridgebenchError, match=r"other\.eval: it is not a bridge cache"):
        BridgeCache(tmp_path / "one.sqlite").merge(other)
    assert other.read_bytes() == content
    assert {path.name for path in tmp_path.iterdir() if "one" not in path.name} == {"other.eval"}


def test_merge_refuses_a_cache_of_another_format(tmp_path: Path) -> None:
    BridgeCache(tmp_path / "other.sqlite").put("old", "b", RESULT)
    with sqlite3.connect(tmp_path / "other.sqlite") as db:
        db.execute(f"PRAGMA user_version={FORMAT + 1}")
    with pytest.raises(BridgebenchError, match=f"other.sqlite: .*format {FORMAT + 1}"):
        BridgeCache(tmp_path / "one.sqlite").merge(tmp_path / "other.sqlite")
    assert not list(tmp_path.glob("*.aside"))


def test_the_setting_moves_the_cache_or_turns_it_off(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BRIDGEBENCH_BRIDGE_CACHE", str(tmp_path / "environment"))
    from_environment, from_argument = bridge_cache(), bridge_cache(str(tmp_path / "argument"))
    assert from_environment is not None
    assert from_argument is not None
    assert from_environment.path.parent == tmp_path / "environment"
    assert from_argument.path.parent == tmp_path / "argument"
    assert bridge_cache() is from_environment
    assert bridge_cache(False) is None
    monkeypatch.setenv("BRIDGEBENCH_BRIDGE_CACHE", "off")
    assert bridge_cache() is None
