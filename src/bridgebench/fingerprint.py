"""What identifies a model to the bridge cache: weights by content or commit, a served model by how it is called."""

import hashlib
import json
from functools import lru_cache
from pathlib import Path
from typing import Any
from weakref import WeakKeyDictionary

from inspect_ai.model import Model


def checkpoint_fingerprint(model: str, revision: str | None = None) -> dict[str, Any]:
    """Identity of a checkpoint; of a LoRA adapter, that of its base too.

    Args:
        model: Local folder or hub id.
        revision: Branch, tag or commit of a hub id.

    Returns:
        A content hash of the folder's files, or the hub id with the commit that is loaded from the hub, or from the
        local hub cache where the hub is out of reach (the revision as asked where neither has it).
    """
    folder = Path(model).expanduser()
    if folder.is_dir():
        files = sorted(path for path in folder.rglob("*") if path.is_file() and not _hidden(path.relative_to(folder)))
        stats = tuple((str(path), path.stat().st_size, path.stat().st_mtime_ns) for path in files)
        content = _content_hash(str(folder), stats)
        base = _base_fingerprint(folder)
        return {"content": hashlib.sha256(f"{content} {base}".encode()).hexdigest() if base else content}
    try:
        snapshot = _snapshot(model, revision)
    except (OSError, ValueError):  # loading it will say why
        return {"id": model, "revision": revision}
    base = _base_fingerprint(snapshot)
    return {"id": model, "revision": snapshot.name} | ({"base": base} if base else {})


def _hidden(path: Path) -> bool:
    """Book-keeping of git and of the hub's downloads, which changes while the checkpoint does not."""
    return any(part.startswith(".") for part in path.parts)


@lru_cache(maxsize=64)
def _content_hash(folder: str, stats: tuple[tuple[str, int, int], ...]) -> str:
    digest = hashlib.sha256()
    for name, _, _ in stats:
        digest.update(str(Path(name).relative_to(folder)).encode())
        with open(name, "rb") as file:
            digest.update(hashlib.file_digest(file, "sha256").digest())
    return digest.hexdigest()


@lru_cache(maxsize=64)
def _snapshot(model: str, revision: str | None) -> Path:
    """Folder of a hub id's commit; its config is fetched, so that the first result is keyed as all later ones are."""
    from huggingface_hub import hf_hub_download
    from huggingface_hub.errors import EntryNotFoundError

    try:
        config = hf_hub_download(model, "adapter_config.json", revision=revision)
    except EntryNotFoundError:  # no adapter
        config = hf_hub_download(model, "config.json", revision=revision)
    return Path(config).parent


def _base_fingerprint(folder: Path) -> dict[str, Any] | None:
    config = folder / "adapter_config.json"
    if not config.is_file():
        return None
    base = json.loads(config.read_text(encoding="utf-8")).get("base_model_name_or_path")
    if not base or Path(base).expanduser().resolve() == folder.resolve():
        return None
    return checkpoint_fingerprint(base)


_fingerprints: WeakKeyDictionary[Model, dict[str, Any]] = WeakKeyDictionary()


def model_fingerprint(model: Model) -> dict[str, Any]:
    """Identity of an Inspect model: provider and name, address, model arguments and generation settings.

    A model whose name is a local folder is identified by the content of that folder too, one that the `local` provider
    loads from the hub by its commit, and both by the dtype that ``auto`` means on this machine. The address is the one
    that was given: a provider that starts its own server (vLLM) takes another port every time, so what a model was
    before its first call is kept.
    """
    if model not in _fingerprints:
        _fingerprints[model] = _fingerprint(model)
    return _fingerprints[model]


def _fingerprint(model: Model) -> dict[str, Any]:
    name = model.name
    loaded_here = Path(name).expanduser().is_dir() or (str(model).startswith("local/") and "/" in name)
    return {
        "model": str(model),
        "base_url": model.api.base_url,
        "args": {key: repr(value) for key, value in sorted(model.model_args.items()) if "api_key" not in key},
        "config": model.config.model_dump(exclude_none=True, exclude={"max_connections", "max_retries", "timeout"}),
        "weights": checkpoint_fingerprint(name, model.model_args.get("revision")) if loaded_here else None,
        "dtype": getattr(model.api, "dtype", None),
    }
