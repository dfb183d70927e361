"""``manifest.json`` beside the logs: which cells a suite plans, so that only they are ranked."""

import json
import os
from collections.abc import Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from bridgebench.suites.cells import Cell
from bridgebench.suites.schema import Suite

MANIFEST = "manifest.json"


def write_manifest(log_dir: Path, suite: Suite, cells: Sequence[Cell]) -> Path:
    """Write the plan of all cells, whichever of them this run takes; an older plan is replaced whole.

    The leaderboard's reader (`bridgebench.leaderboard.manifest`) needs ``suite``, ``created``, ``controls`` and of
    each cell ``id``, ``benchmark``, ``bridges``, ``generator``, ``command``; the rest is for people and scripts.
    """
    plan = {
        "suite": suite.name,
        "description": suite.description,
        "published": suite.published,
        "created": datetime.now(UTC).isoformat(timespec="seconds"),
        "controls": suite.controls if isinstance(suite.controls, str) else ", ".join(suite.controls) or "none",
        "cells": [_entry(cell) for cell in cells],
    }
    path = log_dir / MANIFEST
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(f".{MANIFEST}.{os.getpid()}")  # shards may write it at the same time
    part.write_text(json.dumps(plan, indent=1) + "\n", encoding="utf-8")
    part.replace(path)
    return path


def _entry(cell: Cell) -> dict[str, Any]:
    return {
        "id": cell.id,
        "benchmark": cell.task,
        "bridges": list(cell.chain),
        "generator": cell.generator.model,
        "command": cell.command,
        "label": cell.row,
        "control": cell.control,
        "task_args": dict(cell.task_args),
        "versions": dict(cell.versions),
        "on_empty": cell.on_empty,
        "roles": {role: asdict(model) for role, model in cell.roles.items()},
        "epochs": cell.epochs,
    }
