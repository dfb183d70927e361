"""Finds Inspect logs and decides which of them count: the latest of each cell, and of a manifest's cells only.

Reads headers and sample summaries, never whole logs.
"""

import os
from collections.abc import Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from multiprocessing import get_context
from pathlib import Path

from inspect_ai.log import list_eval_logs

from bridgebench.errors import BridgebenchError
from bridgebench.leaderboard.cells import Cell, read_cell
from bridgebench.leaderboard.manifest import Manifest, ManifestCell, read_manifest


@dataclass(frozen=True)
class Logs:
    """What was found.

    Attributes:
        cells: One log for each distinct cell: these are ranked (when complete).
        superseded: Logs that a later run of the same cell replaced, or that are no cell of the manifest.
        missing: The manifests' cells without a log.
        manifests: The manifests found.
    """

    cells: tuple[Cell, ...]
    superseded: tuple[Cell, ...]
    missing: tuple[ManifestCell, ...]
    manifests: tuple[Manifest, ...]


def read_logs(paths: Iterable[str | Path], workers: int | None = None) -> Logs:
    """Read all logs of files and folders.

    Args:
        paths: ``.eval`` (or ``.json``) logs, or folders that are searched with their subfolders; a folder's
            ``manifest.json`` restricts ranking to its cells.
        workers: Processes that read; None is one a processor (up to 8, and one for 32 logs), 1 reads in this process.

    Raises:
        BridgebenchError: When a path does not exist or is no log, when there is no log at all.
    """
    files, manifests = _find(paths)
    if workers is None:  # one imports for seconds before it reads its first log: a few logs are read right here
        workers = min(os.cpu_count() or 1, 8, max(1, len(files) // 32))
    if workers == 1:
        cells = [read_cell(file) for file in files]
    else:
        with ProcessPoolExecutor(workers, mp_context=get_context("spawn")) as pool:
            cells = list(pool.map(read_cell, files, chunksize=4))
    return select_cells([cell for cell in cells if cell is not None], manifests)


def select_cells(cells: Sequence[Cell], manifests: Sequence[Manifest]) -> Logs:
    """Keep for each cell its latest complete log, or its latest where none is complete."""
    planned = {cell.id: cell for manifest in manifests for cell in manifest.cells}
    latest: dict[str, Cell] = {}
    superseded: list[Cell] = []
    for cell in sorted(cells, key=lambda cell: (cell.complete, cell.created)):
        key = cell.id if planned else cell.identity
        if planned and cell.id not in planned:
            superseded.append(cell)
            continue
        if key in latest:
            superseded.append(latest[key])
        latest[key] = cell
    ranked = [replace(cell, planned=planned.get(cell.id)) for cell in latest.values()]
    missing = tuple(cell for id, cell in planned.items() if id not in latest)
    order = {id: position for position, id in enumerate(planned)}
    ranked.sort(key=lambda cell: (order.get(cell.id, 0), cell.created, cell.log))
    return Logs(tuple(ranked), tuple(superseded), missing, tuple(manifests))


def _find(paths: Iterable[str | Path]) -> tuple[list[str], list[Manifest]]:
    files: dict[str, None] = {}
    manifests = []
    for path in map(Path, paths):
        if path.is_dir():
            files.update((_local(info.name), None) for info in list_eval_logs(str(path)))
            manifests += [read_manifest(found) for found in sorted(path.rglob("manifest.json"))]
        elif path.is_file():
            files[os.path.abspath(path)] = None  # as a folder lists it: given twice, it is one log
        else:
            raise BridgebenchError(f"{path}: no such log or folder")
    if not files:
        raise BridgebenchError(f"no Inspect logs in: {', '.join(map(str, paths))}")
    return list(files), manifests


def _local(name: str) -> str:
    return name.removeprefix("file://")
