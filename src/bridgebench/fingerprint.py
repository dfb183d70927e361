"""What identifies a model to the bridge cache: weights by content or commit, a served model by how it is called."""

import hashlib
from functools import lru_cache
from pathlib import Path
from typing import Any
from weakref import WeakKeyDictionary

from inspect_ai.model import Model


def checkpoint_fingerprint(model: str, revision: str | None = None) -> dict[str, Any]:
    """Identity of a checkpoint.

    Args:
        model: Local folder or hub id.
        revision: Branch, tag or commit of a hub id.

    Returns:
        A content hash of the folder's files, or the hub id with the commit that is in the local hub cache
        (the revision as asked where nothing is cached yet).
    """
    folder = Path(model).expanduser()
    if folder.is_dir():
        files = sorted(path for path in folder.rglob("*") if path.is_file() and not path.name.startswith("."))
        stats = tuple((str(path), path.stat().st_size, path.stat().st_mtime_ns) for path in files)
        return {"content": _content_hash(str(folder), stats)}
    return {"id": model, "revision": _cached_commit(model, revision) or revision}


@lru_cache(maxsize=64)
def _content_hash(folder: str, stats: tuple[tuple[str, int, int], ...]) -> str:
    digest = hashlib.sha256()
    for name, _, _ in stats:
        digest.update(str(Path(name).relative_to(folder)).encode())
        with open(name, "rb") as file:
            digest.update(hashlib.file_digest(file, "sha256").digest())
    return digest.hexdigest()


def _cached_commit(model: str, revision: str | None) -> str | None:
    from huggingface_hub import try_to_load_from_cache

    path = try_to_load_from_cache(model, "config.json", revision=revision)
    return Path(path).parent.name if isinstance(path, str) else None


_fingerprints: WeakKeyDictionary[Model, dict[str, Any]] = WeakKeyDictionary()


def model_fingerprint(model: Model) -> dict[str, Any]:
    """Identity of an Inspect model: provider and name, address, model arguments and generation settings.

    A model whose name is a local folder is identified by the content of that folder too. The address is the one that
    was given: a provider that starts its own server (vLLM) takes another port every time, so what a model was before
    its first call is kept.
    """
    if model not in _fingerprints:
        _fingerprints[model] = _fingerprint(model)
    return _fingerprints[model]


def _fingerprint(model: Model) -> dict[str, Any]:
    name = model.name
    return {
        "model": str(model),
        "base_url": model.api.base_url,
        "args": {key: repr(value) for key, value in sorted(model.model_args.items()) if "api_key" not in key},
        "config": model.config.model_dump(exclude_none=True, exclude={"max_connections", "max_retries", "timeout"}),
        "weights": checkpoint_fingerprint(name) if Path(name).expanduser().is_dir() else None,
    }
