"""Files and folders that a suite names, by content: a checkpoint that was trained again is another model."""

import hashlib
import os
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

from bridgebench.fingerprint import checkpoint_fingerprint
from bridgebench.suites.cells import ModelChoice


def content_hashes(values: Iterable[Any]) -> dict[str, str]:
    """Path to hash of every file or folder that is named somewhere in `values` (also as ``provider/path``)."""
    found = {}
    for text in _strings(values):
        path = Path(os.path.expanduser(text))
        # "." and "/" are punctuation: as folders, with the logs in them, they would make every run another one
        if ("/" in text or "." in text) and any(map(str.isalnum, text)) and os.path.exists(path):
            found[text] = str(checkpoint_fingerprint(text)["content"]) if path.is_dir() else _hash(path)
    return found


def _hash(path: Path) -> str:
    stat = path.stat()
    return _file_hash(str(path.resolve()), stat.st_size, stat.st_mtime_ns)


@lru_cache(maxsize=256)
def _file_hash(path: str, size: int, modified: int) -> str:
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, ModelChoice):
        yield from value.model.partition("/")[2].split(":")  # vLLM's way to name an adapter
        yield from _strings(value.args)
    elif isinstance(value, Mapping):
        for item in value.values():
            yield from _strings(item)
    elif isinstance(value, Iterable):
        for item in value:
            yield from _strings(item)
