"""Outputs of a bridge that ran elsewhere, read from a file: any method can be compared without porting it."""

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import lru_cache
from pathlib import Path
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError, field_validator

from bridgebench.document import Bridge, BridgeResult, Cost, Document, Parse
from bridgebench.errors import BridgebenchError, RecordError
from bridgebench.solvers.bridge import bridge
from bridgebench.solvers.llm import all_sources


def _fingerprint(*, path: str, questions: str | None) -> Mapping[str, Any]:
    return {"files": [hashlib.sha256(Path(name).read_bytes()).hexdigest() for name in (path, questions) if name]}


@bridge(family="other", cached=False, fingerprint=_fingerprint)  # cheaper than a look-up
def precomputed(path: str, questions: str | None = None) -> Bridge:
    """Return what the file holds for a question; a question that it does not hold is an error, never the originals.

    Each line is a JSON object with ``question`` (its exact text) or ``id`` (see `questions`), and with ``documents``
    (texts, or objects with ``text`` and, as known, ``id``, ``title``, ``sources``) or ``text`` (one document; an empty
    one is an empty context). Optional: ``retrieved`` (ids of the documents the bridge was given, in order: needed where
    one question stands on several lines), ``parse``, ``cost`` (fields of `Cost`) and ``answer`` (of a bridge that
    answers itself). A document without ``sources`` is taken to be made of all documents of the question.

    Args:
        path: JSON lines.
        questions: JSON lines with ``id`` and ``question`` (for example the data set itself), for lines that say ``id``.

    Raises:
        BridgebenchError: When a file cannot be read or a line is wrong; it names file, line and field.
    """
    entries = _load(path, questions)

    async def run(question: str, documents: Sequence[Document]) -> BridgeResult:
        given = [document.id for document in documents]
        found = [entry for entry in entries.get(question, ()) if entry.line.retrieved in (None, given)]
        if not found:
            these = " for these documents" if question in entries else ""
            raise BridgebenchError(f"{path} has no line{these} with the question {question!r}")
        return found[0].result(documents)

    return run


class _Stated(BaseModel, strict=True):
    """A document as a line states it."""

    text: str
    id: str | None = None
    title: str = ""
    sources: list[str] | None = None


class _Line(BaseModel, strict=True):
    question: str | None = None
    id: str | None = None
    text: str | None = None
    documents: list[str | _Stated] | None = None
    retrieved: list[str] | None = None
    parse: Parse = "ok"
    cost: Cost = Cost()
    answer: str | None = None

    @field_validator("cost", mode="before")
    @classmethod
    def _known_figures(cls, cost: Any) -> Any:
        known = {field.name for field in fields(Cost)}
        if isinstance(cost, dict) and not cost.keys() <= known:
            raise ValueError(f"has unknown fields {sorted(cost.keys() - known)} (known: {', '.join(sorted(known))})")
        return cost


class _Question(BaseModel, strict=True):
    id: str
    question: str


@dataclass(frozen=True)
class _Entry:
    """A line and where it stands."""

    place: tuple[str, str]
    line: _Line

    def error(self, field: str, problem: str) -> RecordError:
        return RecordError(*self.place, field, problem)

    def result(self, documents: Sequence[Document]) -> BridgeResult:
        sources = all_sources(documents)
        stated = self.stated() if documents else []  # a text made of no document could not be traced
        made = tuple(self._document(number, item, sources) for number, item in enumerate(stated, 1))
        cost = self.line.cost
        return BridgeResult(
            made,
            parse=self.line.parse,
            # what is not stated must not become the time of a look-up; a device of its own keeps it out of time axes
            cost=replace(cost, seconds=cost.seconds or 0.0, device=cost.device or "precomputed"),
            answer=self.line.answer,
            notes={"line": ", ".join(self.place), "cost_stated": "cost" in self.line.model_fields_set},
        )

    def stated(self) -> list[str | _Stated]:
        if self.line.documents is not None:
            return self.line.documents
        return [self.line.text] if self.line.text else []

    def _document(self, number: int, stated: str | _Stated, sources: tuple[str, ...]) -> Document:
        stated = _Stated(text=stated) if isinstance(stated, str) else stated
        own = tuple(stated.sources) if stated.sources else sources
        if unknown := set(own) - set(sources):
            raise self.error("sources", f"{sorted(unknown)} are not among the documents of the question")
        return Document(stated.id or f"precomputed-{number}", stated.title, stated.text, own)


def _load(path: str, questions: str | None) -> Mapping[str, list[_Entry]]:
    try:
        times = [Path(name).stat().st_mtime_ns for name in (path, questions) if name]
        return _load_once(path, questions, *times)  # a solver is made many times in a sweep
    except (OSError, UnicodeDecodeError) as error:
        raise BridgebenchError(f"{path}: cannot be read: {error}") from error


@lru_cache(maxsize=4)
def _load_once(path: str, questions: str | None, *times: int) -> Mapping[str, list[_Entry]]:
    texts = {record.id: record.question for _, record in _records(questions, _Question)} if questions else {}
    entries: dict[str, list[_Entry]] = {}
    for place, line in _records(path, _Line):
        entry = _Entry(place, line)
        if (line.documents is None) == (line.text is None):
            raise entry.error("documents", "a line has either 'documents' or 'text'")
        ids = [stated.id for stated in line.documents or () if isinstance(stated, _Stated) and stated.id]
        if len(set(ids)) < len(ids):
            raise entry.error("documents", "two documents share an id")
        question = line.question if line.question is not None else texts.get(line.id or "")
        if question is None:
            raise entry.error("id", f"{line.id!r} is not in `questions`, and the line has no 'question'")
        for other in entries.setdefault(question, []):
            if line.retrieved is None or other.line.retrieved in (None, line.retrieved):
                raise entry.error("retrieved", f"must tell this line from {other.place[1]}, with the same question")
        entries[question].append(entry)
    return entries


Record = TypeVar("Record", bound=BaseModel)


def _records(path: str, kind: type[Record]) -> Iterator[tuple[tuple[str, str], Record]]:
    with open(path, encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            if not line.strip():
                continue
            place = (path, f"line {number}")
            try:
                yield place, kind.model_validate_json(line)
            except ValidationError as error:
                first = error.errors()[0]
                raise RecordError(*place, ".".join(map(str, first["loc"])) or "(line)", first["msg"]) from error
