"""A retriever's own ranking in place of the documents that came with a benchmark."""

from collections.abc import Sequence
from typing import Any

from inspect_ai.dataset import Sample

from bridgebench.benchmarks._fields import Record, shown
from bridgebench.benchmarks._files import read_file, record_file
from bridgebench.document import Document
from bridgebench.errors import BridgebenchError, RecordError


def replace_documents(samples: Sequence[Sample], path: str) -> None:
    """Put the run's documents into the samples.

    A run has one record a question: ``id``; ``documents``, best first, each with ``id``, ``title`` and ``text``; and,
    where they are known, ``gold_documents``: ids among them.

    Raises:
        BridgebenchError: When there is no such file of records, or a question of the benchmark is not in it.
        RecordError: When a record is bad or repeats an id; a run is never skipped over.
    """
    file = record_file("retrieved", path)
    waiting = {str(sample.id): sample for sample in samples}
    seen: set[str] = set()
    for item in read_file(file):
        if isinstance(item, RecordError):
            raise item
        id = item.identifier("id")
        if id in seen:
            raise item.error("id", f"{shown(id)} has come before")
        seen.add(id)
        if (sample := waiting.pop(id, None)) is not None:
            sample.metadata = {**(sample.metadata or {}), **_ranking(item)}
    if waiting:
        lost = f"{len(waiting)} of {len(samples)} questions are missing: {', '.join(sorted(waiting)[:5])}"
        raise BridgebenchError(f"retrieved '{path}': {lost}")


def _ranking(record: Record) -> dict[str, Any]:
    rows = record.rows("documents", "id", "title", "text")
    documents = [
        Document(row.identifier("id"), row.text("title", blank=True), row.text("text", blank=True)) for row in rows
    ]
    ids = [document.id for document in documents]
    if len(set(ids)) != len(ids):
        raise record.error("documents", "repeats a document id")
    gold = record.texts("gold_documents") if record.has("gold_documents") else []
    if unknown := set(gold) - set(ids):
        raise record.error("gold_documents", f"are not among the documents: {', '.join(sorted(unknown)[:5])}")
    return {"documents": [document.to_dict() for document in documents], "gold_documents": gold}
