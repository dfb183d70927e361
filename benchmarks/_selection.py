"""Which questions of a benchmark are asked: a sample by seed, or the ids of a manifest."""

import hashlib
import heapq
import json
from collections.abc import Callable, Iterable, Sequence
from operator import itemgetter
from pathlib import Path
from typing import Any, TypeVar

from inspect_ai.dataset import Sample

from bridgebench.errors import BridgebenchError

T = TypeVar("T")


def draw(items: Iterable[T], limit: int, seed: int, id: Callable[[T], str]) -> list[T]:
    """`limit` items drawn without replacement, in the order they came in.

    The draw takes those whose ids have the smallest hash. So it is the same for every copy of a dataset whatever its
    format and order, a smaller draw is part of a larger one, and only `limit` items are ever held.
    """
    drawn = heapq.nsmallest(limit, enumerate(items), key=lambda item: _rank(seed, id(item[1])))
    return [item for _, item in sorted(drawn, key=itemgetter(0))]


def sample_by_ids(samples: Iterable[Sample], ids: Sequence[str], manifest: str) -> list[Sample]:
    """The samples with these ids, in the order of the source.

    Raises:
        BridgebenchError: When the source lacks one of them.
    """
    wanted = set(ids)
    chosen = [sample for sample in samples if sample.id in wanted]
    if missing := wanted - {str(sample.id) for sample in chosen}:
        shown = ", ".join(sorted(missing)[:5])
        raise BridgebenchError(
            f"manifest '{manifest}': {len(missing)} of {len(wanted)} ids are not in the source: {shown}"
        )
    return chosen


def read_manifest(path: str) -> list[str]:
    """Ids of a manifest: a JSON list, or an object with ``ids`` and ``sha256`` (see `manifest`).

    Raises:
        BridgebenchError: When it is neither, is empty, repeats an id, or its hash does not match its ids.
    """
    try:
        content = json.loads(Path(path).expanduser().read_text(encoding="utf-8-sig"))
    except (OSError, ValueError, RecursionError) as error:
        raise BridgebenchError(f"manifest '{path}': {error}") from error
    ids = content.get("ids") if isinstance(content, dict) else content
    if not isinstance(ids, list) or not ids or not all(isinstance(id, str) for id in ids):
        raise BridgebenchError(f"manifest '{path}': field 'ids' must be a list of strings, at least one")
    if len(set(ids)) != len(ids):
        raise BridgebenchError(f"manifest '{path}': field 'ids' repeats an id")
    if isinstance(content, dict) and content.get("sha256", ids_hash(ids)) != ids_hash(ids):
        raise BridgebenchError(f"manifest '{path}': field 'sha256' does not match its ids")
    return ids


def manifest(ids: Iterable[str]) -> dict[str, Any]:
    """What a manifest file holds: ids and their hash, no rows."""
    listed = list(ids)
    return {"ids": listed, "sha256": ids_hash(listed)}


def ids_hash(ids: Iterable[str]) -> str:
    """sha256 of the sorted ids, one a line: equal for equal sets of questions."""
    return hashlib.sha256("\n".join(sorted(ids)).encode()).hexdigest()


def _rank(seed: int, id: str) -> bytes:
    return hashlib.sha256(f"{seed} {id}".encode()).digest()
