"""Built indexes on disk: by what they were built from, safe when several processes build the same one."""

import hashlib
import json
import os
import shutil
import tempfile
import time
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import Any

from bridgebench.paths import cache_dir

VERSION = 1
"""Raise it when the same identity gives another index."""

FIGURES = "figures.json"


async def stored_index(identity: Mapping[str, Any], build: Callable[[Path], Awaitable[Mapping[str, Any]]]) -> Path:
    """The folder of an index; one that is not there yet is built.

    It is built aside and then renamed, so a folder that exists is complete; of two processes that build the same index
    at once, the second discards its own.

    Args:
        identity: JSON: all that decides what is in the index.
        build: Writes the index to a folder, and returns figures about it.

    Returns:
        The folder, with what `build` wrote and its figures, to which ``bytes`` (of what it wrote) and
        ``build_seconds`` are added.
    """
    key = hashlib.sha256(json.dumps([VERSION, identity], sort_keys=True).encode()).hexdigest()
    folder = cache_dir() / "indexes" / key
    if folder.is_dir():
        return folder
    folder.parent.mkdir(parents=True, exist_ok=True)
    aside = Path(tempfile.mkdtemp(prefix=f"{key[:12]}-", suffix=".part", dir=folder.parent))
    try:
        started = time.perf_counter()
        figures = await build(aside)
        seconds = time.perf_counter() - started
        size = sum(file.stat().st_size for file in aside.iterdir() if file.name != TEXTS)
        text = json.dumps({"build_seconds": seconds, **figures, "bytes": size, "identity": identity}, indent=1)
        (aside / FIGURES).write_text(text, encoding="utf-8")
        try:
            os.rename(aside, folder)
        except OSError:  # another process was first
            if not folder.is_dir():
                raise
    finally:
        shutil.rmtree(aside, ignore_errors=True)
    return folder


TEXTS = "texts.json"
"""What the index is of: not counted as its size, but by itself."""


def read_figures(folder: Path) -> dict[str, Any]:
    """What is known of a stored index."""
    figures: dict[str, Any] = json.loads((folder / FIGURES).read_text(encoding="utf-8"))
    return figures
