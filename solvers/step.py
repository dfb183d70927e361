"""One bridge on one sample: from the cache or run, measured, and put down for the log."""

import hashlib
import json
from collections.abc import Sequence
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any

import anyio.to_thread
from inspect_ai.model import get_model

from bridgebench.cache import BridgeCache
from bridgebench.document import Document, count_characters, count_words
from bridgebench.fingerprint import model_fingerprint
from bridgebench.solvers.bridge import BoundBridge, OnEmpty, has_text


@dataclass(frozen=True)
class RunContext:
    """How the steps of one sample run.

    Attributes:
        epoch: Part of the key of a bridge that samples.
        on_empty: What follows a result without any text: an ``empty`` context, or the ``originals`` (the documents
            that the bridge was given).
        cache: Where results are kept; None runs the bridge every time.
    """

    epoch: int = 1
    on_empty: OnEmpty = "empty"
    cache: BridgeCache | None = None


run_context: ContextVar[RunContext] = ContextVar("run_context", default=RunContext())  # noqa: B039 (frozen)
"""For a bridge that runs another one (`truncate`)."""


@dataclass(frozen=True)
class StepResult:
    """What the next step reads, the answer of a bridge that answers itself, and the record for the log."""

    documents: tuple[Document, ...]
    answer: str | None
    record: dict[str, Any]


async def run_step(
    bridge: BoundBridge, question: str, documents: Sequence[Document], context: RunContext
) -> StepResult:
    """Run one bridge on `documents`, what the step before returned (the retrieved ones for the first)."""
    token = run_context.set(context)
    try:
        if context.cache is None or not bridge.info.cached:
            result, found = await bridge(question, documents), "off"
        else:
            key = await cache_key(bridge, question, documents, context.epoch)
            result, found = await context.cache.get_or_run(key, bridge.info.name, lambda: bridge(question, documents))
    finally:
        run_context.reset(token)
    use_originals = context.on_empty == "originals" and bool(documents) and not has_text(result.documents)
    output = tuple(documents) if use_originals else result.documents
    record = {
        "bridge": bridge.info.name,
        "version": bridge.info.version,
        "args": dict(bridge.args),
        "cache": found,
        "parse": result.parse,
        "cost": result.cost.to_dict(),
        "documents": [document.to_dict() for document in output],
        "documents_in": len(documents),
        "documents_out": len(output),
        "words_in": count_words(documents),
        "words_out": count_words(output),
        "characters_in": count_characters(documents),
        "characters_out": count_characters(output),
        "used_originals": use_originals,
        "notes": dict(result.notes),
    }
    return StepResult(output, result.answer, record)


async def cache_key(bridge: BoundBridge, question: str, documents: Sequence[Document], epoch: int) -> str:
    """sha256 of everything that can change the result of a bridge."""
    info = bridge.info
    fingerprint = info.fingerprint
    parts = {
        "bridge": info.name,
        "version": info.version,
        "args": dict(bridge.args),
        "source": bridge.source_hash,
        "roles": {role: model_fingerprint(get_model(role=role, required=True)) for role in info.roles},
        # hashing weights reads gigabytes once: off the event loop
        "fingerprint": await anyio.to_thread.run_sync(lambda: dict(fingerprint(**bridge.args)))
        if fingerprint
        else None,
        "epoch": epoch if bridge.samples else None,
        "question": question,
        "documents": [document.to_dict() for document in documents],
    }
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()
