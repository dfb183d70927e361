"""The cells that a suite run planned: what its log folder holds in ``manifest.json``."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bridgebench.errors import BridgebenchError

Chain = tuple[tuple[str, Mapping[str, Any]], ...]
"""Bridges in order: registry name and every argument."""


@dataclass(frozen=True)
class ManifestCell:
    """One planned cell.

    Attributes:
        id: Hash of all that decides the cell's result; the runner also writes it into the log, as
            ``eval.metadata["cell"]``, which is how a log finds its cell.
        benchmark: Registry name of the task.
        bridges: Chain items as `rag` takes them: ``[{name: {argument: value}}]``.
        generator: Model name.
        label: Its row in short, for people.
        control: Which control it is; None for a bridge of the suite.
        command: Command line that runs this cell alone; empty when there is none.
    """

    id: str
    benchmark: str
    bridges: tuple[Mapping[str, Mapping[str, Any]], ...]
    generator: str
    label: str = ""
    control: str | None = None
    command: str = ""


@dataclass(frozen=True)
class Manifest:
    """A suite's plan.

    Attributes:
        suite: Name of the suite.
        created: When it was written (ISO 8601).
        controls: ``default``, or ``none`` when the suite left the controls out; the page says so.
        published: Tables and figures of papers that the suite says it repeats.
        cells: In the suite's order, which is the order of rows.
    """

    suite: str
    created: str
    controls: str
    published: tuple[str, ...]
    cells: tuple[ManifestCell, ...]


def read_manifest(path: Path) -> Manifest:
    """Read a ``manifest.json``; keys beyond those of `Manifest` and `ManifestCell` are the runner's own.

    Raises:
        BridgebenchError: Naming the file, the cell and the field that is absent or of the wrong type.
    """
    try:
        raw = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, json.JSONDecodeError) as error:
        raise BridgebenchError(f"{path}: not a readable manifest: {error}") from error
    if not isinstance(raw, dict):
        raise BridgebenchError(f"{path}: a manifest is a JSON object, got {type(raw).__name__}")
    cells = _take(path, "manifest", raw, "cells", list)
    parsed = []
    for position, cell in enumerate(cells):
        where = f"cell {position + 1}"
        if not isinstance(cell, dict):
            raise BridgebenchError(f"{path}: {where}: a cell is a JSON object, got {type(cell).__name__}")
        parsed.append(
            ManifestCell(
                id=_take(path, where, cell, "id", str),
                benchmark=_take(path, where, cell, "benchmark", str),
                bridges=tuple(_take(path, where, cell, "bridges", list)),
                generator=_take(path, where, cell, "generator", str),
                label=_take(path, where, cell, "label", str, ""),
                control=_take(path, where, cell, "control", str) if cell.get("control") is not None else None,
                command=_take(path, where, cell, "command", str, ""),
            )
        )
    return Manifest(
        suite=_take(path, "manifest", raw, "suite", str),
        created=_take(path, "manifest", raw, "created", str),
        controls=_take(path, "manifest", raw, "controls", str, "default"),
        published=tuple(map(str, _take(path, "manifest", raw, "published", list, []))),
        cells=tuple(parsed),
    )


def _take(path: Path, where: str, raw: Mapping[str, Any], field: str, kind: type, default: Any = None) -> Any:
    value = raw.get(field, default)
    if not isinstance(value, kind):
        raise BridgebenchError(f"{path}: {where}: field '{field}' must be a {kind.__name__}, got {value!r}")
    return value
