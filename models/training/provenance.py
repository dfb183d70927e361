"""What a step was made of: ``provenance.json`` in its folder, by which a rerun sees what is done and what is stale."""

import hashlib
import json
import platform
from collections.abc import Mapping
from datetime import UTC, datetime
from importlib import metadata
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from bridgebench.errors import BridgebenchError

PROVENANCE = "provenance.json"
PACKAGES = ("bridgebench", "inspect_ai", "torch", "transformers", "trl", "accelerate", "deepspeed", "peft", "datasets")


def begin(folder: Path, step: str, settings: BaseModel, inputs: Mapping[str, Path]) -> bool:
    """Whether a step still has to run (or to go on); its folder is marked as begun with these settings and inputs.

    Raises:
        BridgebenchError: When the folder was begun or made with other settings or from other inputs.
    """
    path = folder / PROVENANCE
    now = _made_of(step, settings, inputs)
    if path.is_file() and any(
        not file.name.startswith(".") and file != path for file in folder.iterdir()
    ):  # begun, and nothing came of it: no trace
        then = json.loads(path.read_text(encoding="utf-8"))
        if changes := _changes({key: then.get(key) for key in now}, now):
            raise BridgebenchError(
                f"{folder} was made otherwise ({'; '.join(changes)}): remove it, or choose another folder with -o"
            )
        return not then["complete"]
    _write(path, {**now, "complete": False})
    return True


def write_provenance(
    folder: Path, step: str, settings: BaseModel, inputs: Mapping[str, Path], extra: Mapping[str, Any]
) -> Path:
    """Mark a step as complete: the last thing it does.

    Args:
        folder: Of the step.
        step: Its name.
        settings: All of its settings, defaults included.
        inputs: Files and folders that it read, by name; their contents are hashed.
        extra: Figures about what was made.
    """
    made = _made_of(step, settings, inputs)
    facts = {
        "paths": {name: str(path) for name, path in inputs.items()},
        "seed": made["settings"].get("seed"),
        "versions": {"python": platform.python_version(), **_versions()},
        "finished": datetime.now(UTC).isoformat(timespec="seconds"),
    }
    return _write(folder / PROVENANCE, {**made, "complete": True, **facts, "extra": dict(extra)})


def read_provenance(folder: Path) -> dict[str, Any]:
    """What a complete step wrote.

    Raises:
        BridgebenchError: When the step was not run, or not to its end.
    """
    path = folder / PROVENANCE
    made: dict[str, Any] = json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}
    if not made.get("complete"):
        raise BridgebenchError(f"{folder}: this step is not complete; run it first (or `all`)")
    return made


def refuse_other_settings(folder: Path, settings: BaseModel) -> None:
    """Raise when an earlier step was made with other settings than the recipe has now: what follows would claim these.

    Where its models were served does not count.

    Raises:
        BridgebenchError: Naming every change.
    """
    then = json.loads((folder / PROVENANCE).read_text(encoding="utf-8"))["settings"]
    changes = _changes(then, settings.model_dump(mode="json"), "settings")
    if changes := [change for change in changes if not change.partition(":")[0].endswith(".base_url")]:
        raise BridgebenchError(
            f"{folder} was made otherwise ({'; '.join(changes)}): give every step the recipe and --set of the first"
        )


def content_hash(path: Path) -> str:
    """SHA-256 of a file, or of a folder's files and their names (hidden files and the provenance left out)."""
    if path.is_file():
        return _sha256(path)
    if not path.is_dir():
        raise BridgebenchError(f"there is no file or folder {path}")
    digest = hashlib.sha256()
    for file in sorted(file for file in path.rglob("*") if file.is_file()):
        name = file.relative_to(path)
        if file.name != PROVENANCE and not any(part.startswith(".") for part in name.parts):
            digest.update(f"{name.as_posix()}\0{_sha256(file)}\n".encode())
    return digest.hexdigest()


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _made_of(step: str, settings: BaseModel, inputs: Mapping[str, Path]) -> dict[str, Any]:
    named = {key: getattr(settings, key, None) for key in ("template", "prompt")}
    files = {key: Path(name) for key, name in named.items() if name and Path(name).is_file()}  # a prompt of the user's
    return {
        "step": step,
        "settings": settings.model_dump(mode="json"),
        "inputs": {name: content_hash(path) for name, path in {**inputs, **files}.items()},
    }


def _changes(then: Any, now: Any, place: str = "") -> list[str]:
    """Where two trees of plain values differ, as ``place: old, now new``."""
    if isinstance(then, dict) and isinstance(now, dict):
        keys = list(dict.fromkeys([*then, *now]))
        return [
            change
            for key in keys
            for change in _changes(then.get(key), now.get(key), f"{place}.{key}" if place else str(key))
        ]
    return [] if then == now else [f"{place}: {then!r}, now {now!r}"]


def _versions() -> dict[str, str]:
    found = {}
    for package in PACKAGES:
        try:
            found[package] = metadata.version(package)
        except metadata.PackageNotFoundError:
            continue
    return found


def _write(path: Path, content: Mapping[str, Any]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(f".{path.name}.part")
    part.write_text(json.dumps(content, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    part.replace(path)
    return path
