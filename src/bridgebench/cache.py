"""The bridge cache: a bridge's result does not depend on the generator, so a sweep pays for it once.

Content-addressed: the key is a hash of everything that can change the result (see
`bridgebench.solvers.step.cache_key`), the value is the `BridgeResult` with its cost, so that a hit still
reports what the bridge costs. One SQLite file, safe under concurrent writers (write-ahead log).
"""

import json
import logging
import os
import sqlite3
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, closing
from functools import cached_property
from pathlib import Path
from typing import Literal

import anyio

from bridgebench.document import BridgeResult
from bridgebench.errors import BridgebenchError
from bridgebench.paths import cache_dir

logger = logging.getLogger(__name__)

FORMAT = 1
"""Version of the file's layout (SQLite's ``user_version``); raise it when the layout or the key changes."""

_open: dict[Path, "BridgeCache"] = {}


class BridgeCache:
    """Results of bridges by key, in one SQLite file, made or opened on first use.

    Raises:
        BridgebenchError: On first use, when the file cannot be opened.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._locks: dict[str, tuple[anyio.Lock, int]] = {}

    @cached_property
    def _db(self) -> sqlite3.Connection:
        """Open the file; one that is damaged or of another version is set aside under a new name, never deleted."""
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            return self._open()
        except (sqlite3.OperationalError, OSError) as error:
            raise BridgebenchError(
                f"bridge cache {self.path}: {error}; choose another folder or turn it off"
            ) from error
        except sqlite3.DatabaseError as error:
            reason = f"it is not a readable database ({error})"
        except _OtherFormat as error:
            reason = str(error)
        aside = self.path.with_name(f"{self.path.name}.{time.strftime('%Y%m%dT%H%M%S')}-{os.getpid()}.aside")
        for suffix in ("", "-wal", "-shm"):
            source = Path(f"{self.path}{suffix}")
            if source.exists():
                source.rename(f"{aside}{suffix}")
        logger.warning("bridge cache %s was set aside as %s because %s; a new one is started", self.path, aside, reason)
        return self._open()

    def _open(self) -> sqlite3.Connection:
        db = sqlite3.connect(self.path, timeout=60, check_same_thread=False, isolation_level=None)
        try:
            db.execute("PRAGMA journal_mode=WAL")
            db.execute("PRAGMA synchronous=NORMAL")
            db.execute("BEGIN IMMEDIATE")  # of two that open a new file at once, one makes it
            version = db.execute("PRAGMA user_version").fetchone()[0]
            tables = db.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
            if tables and version != FORMAT:
                raise _OtherFormat(f"it has format {version} and this version of bridgebench reads format {FORMAT}")
            db.execute(
                "CREATE TABLE IF NOT EXISTS results (key TEXT PRIMARY KEY, bridge TEXT, value TEXT, created REAL)"
            )
            db.execute(f"PRAGMA user_version={FORMAT}")
            db.execute("COMMIT")
        except BaseException:
            db.close()
            raise
        return db

    def get(self, key: str) -> BridgeResult | None:
        """The stored result, or None."""
        row = self._db.execute("SELECT value FROM results WHERE key = ?", (key,)).fetchone()
        return None if row is None else BridgeResult.from_dict(json.loads(row[0]))

    def put(self, key: str, bridge: str, result: BridgeResult) -> None:
        """Store a result; the first writer of a key wins, so that all readers see one result."""
        value = json.dumps(result.to_dict())  # escaped: a lone surrogate in a text must survive
        self._db.execute("INSERT OR IGNORE INTO results VALUES (?, ?, ?, ?)", (key, bridge, value, time.time()))

    async def get_or_run(
        self, key: str, bridge: str, run: Callable[[], Awaitable[BridgeResult]]
    ) -> tuple[BridgeResult, Literal["hit", "miss"]]:
        """The stored result, or that of `run`, which is called once for all who ask for `key` at the same time."""
        async with self._in_flight(key):
            stored = self.get(key)
            if stored is not None:
                return stored, "hit"
            self.put(key, bridge, await run())
            stored = self.get(key)
            assert stored is not None
            return stored, "miss"

    @asynccontextmanager
    async def _in_flight(self, key: str) -> AsyncIterator[None]:
        lock, users = self._locks.get(key, (None, 0))
        lock = lock or anyio.Lock()
        self._locks[key] = (lock, users + 1)
        try:
            async with lock:
                yield
        finally:
            lock, users = self._locks.pop(key)
            if users > 1:
                self._locks[key] = (lock, users - 1)

    def merge(self, other: Path) -> int:
        """Copy the results of another cache file, which is only read, into this one; returns how many were new.

        Raises:
            BridgebenchError: When it is not a bridge cache of this format.
        """
        before = self._count()
        with closing(sqlite3.connect(f"{other.resolve().as_uri()}?mode=ro", uri=True)) as source:
            try:
                version = source.execute("PRAGMA user_version").fetchone()[0]
                if version != FORMAT:
                    raise _OtherFormat(f"it has format {version} and this version of bridgebench reads format {FORMAT}")
                rows = source.execute("SELECT key, bridge, value, created FROM results")
            except (sqlite3.Error, _OtherFormat) as error:
                raise BridgebenchError(f"{other}: it is not a bridge cache to take results from: {error}") from None
            self._db.executemany("INSERT OR IGNORE INTO results VALUES (?, ?, ?, ?)", rows)
        return self._count() - before

    def _count(self) -> int:
        return int(self._db.execute("SELECT count(*) FROM results").fetchone()[0])


class _OtherFormat(Exception):
    pass


def bridge_cache(setting: bool | str = True) -> BridgeCache | None:
    """The cache that a solver's ``cache`` argument names.

    Args:
        setting: False is off; a string is a folder; True is ``BRIDGEBENCH_BRIDGE_CACHE`` (a folder, or ``off``),
            or the cache folder when that is not set.
    """
    if setting is True:
        setting = os.environ.get("BRIDGEBENCH_BRIDGE_CACHE") or str(cache_dir())
    if setting is False or setting == "off":
        return None
    folder = Path(setting).expanduser()
    path = (folder / "bridges.sqlite").resolve()
    if path not in _open:
        _open[path] = BridgeCache(path)
    return _open[path]
