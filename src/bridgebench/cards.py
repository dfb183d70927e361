"""Paper cards: what is kept of a paper, and the folder they are kept in.

"Knowledge and Context Compression via Question Generation", arXiv 2506.13778, section 4.3.1. A folder of cards holds
``cards.jsonl`` (the index: a card a line, with its file, size and hash), ``cards/<id>.md`` and ``provenance.json``.
"""

import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Literal
from urllib.parse import quote

from pydantic import TypeAdapter, ValidationError

from bridgebench.errors import BridgebenchError, RecordError

Kind = Literal["conceptual", "technical"]
"""Of a question: broad, with few technical words or none; or in the paper's own terms."""

MAX_BYTES = 5_000
"""A card is smaller than this ("under 5 KB")."""

INDEX, PROVENANCE, FILES = "cards.jsonl", "provenance.json", "cards"


@dataclass(frozen=True)
class CardQuestion:
    """A question that the paper answers.

    Attributes:
        text: The question.
        query: The same as a few keywords, as one would type them into a search engine; may be empty.
        kind: Conceptual or technical.
        section: Name of the section it was asked of.
    """

    text: str
    query: str
    kind: Kind
    section: str


@dataclass(frozen=True)
class Card:
    """What is kept of a paper.

    Attributes:
        paper_id: The paper's id.
        title: Its title; empty where the source has none.
        questions: What it answers, in the order of the card.
        problem: What it sets out to solve.
        methods: How.
        results: What was found.
        keywords: Terms it is about.
    """

    paper_id: str
    title: str
    questions: tuple[CardQuestion, ...]
    problem: str
    methods: str
    results: str
    keywords: tuple[str, ...]

    @property
    def markdown(self) -> str:
        """The card itself: title, research questions, summary, keywords and id; empty parts have no heading."""
        summary = {"Problem": self.problem, "Methods": self.methods, "Results": self.results}
        parts = {
            "## Research questions": "\n".join(f"- {question.text}" for question in self.questions),
            "## Problem, methods and results": "\n\n".join(
                f"**{name}:** {text}" for name, text in summary.items() if text
            ),
            "## Keywords": ", ".join(self.keywords),
            "## Id": self.paper_id,
        }
        title = [f"# {self.title}"] if self.title else []
        return "\n\n".join([*title, *(f"{heading}\n\n{text}" for heading, text in parts.items() if text)]) + "\n"

    @property
    def size(self) -> int:
        """Bytes of the card."""
        return len(self.markdown.encode())

    def to_dict(self) -> dict[str, Any]:
        """As JSON types."""
        return json.loads(json.dumps(asdict(self)))  # type: ignore[no-any-return]

    @classmethod
    def from_dict(cls, value: Mapping[str, Any]) -> "Card":
        """Inverse of `to_dict`; other fields are left alone.

        Raises:
            BridgebenchError: When a field is absent or of the wrong type.
        """
        try:
            return _CARD.validate_python(dict(value))
        except ValidationError as error:
            field, problem = _first_problem(error)
            raise BridgebenchError(f"card {value.get('paper_id')!r}: field '{field}': {problem}") from None


_CARD = TypeAdapter(Card)


def _first_problem(error: ValidationError) -> tuple[str, str]:
    first = error.errors()[0]
    return ".".join(map(str, first["loc"])) or "(line)", f"{first['msg']}, got {first['input']!r:.100}"


def trim(card: Card, limit: int = MAX_BYTES) -> tuple[Card, int]:
    """Drop questions from the end until the card is smaller than `limit` bytes.

    Returns:
        The card, and how many questions it lost.

    Raises:
        BridgebenchError: When it is too large without any question.
    """
    for dropped in range(len(card.questions) + 1):
        trimmed = replace(card, questions=card.questions[: len(card.questions) - dropped])
        if trimmed.size < limit:
            return trimmed, dropped
    raise BridgebenchError(f"card {card.paper_id!r}: {trimmed.size} bytes without its questions, not under {limit}")


def file_name(paper_id: str) -> str:
    """Name of a card's file: its id with what no file name may hold quoted, a long one cut and told apart by a hash."""
    name = quote(paper_id, safe="")
    return f"{name if len(name) <= 150 else name[:150] + '-' + hashlib.sha256(paper_id.encode()).hexdigest()[:12]}.md"


def write_cards(folder: Path, cards: Sequence[tuple[Card, int]], provenance: Mapping[str, Any]) -> None:
    """Write a folder of cards; one that is there already is replaced.

    Args:
        folder: Made when absent.
        cards: Cards, each with the number of questions it lost to `trim`.
        provenance: JSON: model, arguments, hash of the corpus, version, date, failures.

    Raises:
        BridgebenchError: When the folder holds something else, or two cards are of one paper.
    """
    if folder.exists() and not folder.is_dir():
        raise BridgebenchError(f"'{folder}' is not a folder: nothing was written")
    if folder.exists() and (foreign := {path.name for path in folder.iterdir()} - {INDEX, PROVENANCE, FILES}):
        raise BridgebenchError(f"'{folder}' holds more than cards ({min(foreign)}): nothing was written")
    ids = Counter(card.paper_id for card, _ in cards)
    if twice := [paper_id for paper_id, count in ids.items() if count > 1]:
        raise BridgebenchError(f"more than one card of {', '.join(map(repr, twice))}")
    files = folder / FILES
    files.mkdir(parents=True, exist_ok=True)
    for stale in {file.name for file in files.glob("*.md")} - set(map(file_name, ids)):
        (files / stale).unlink()
    lines = []
    for card, trimmed in cards:
        content = card.markdown.encode()
        (files / file_name(card.paper_id)).write_bytes(content)
        about = {
            "file": f"{FILES}/{file_name(card.paper_id)}",
            "sha256": hashlib.sha256(content).hexdigest(),
            "bytes": len(content),
            "trimmed": trimmed,
        }
        lines.append(json.dumps(card.to_dict() | about, ensure_ascii=False) + "\n")
    (folder / PROVENANCE).write_text(json.dumps(provenance, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
    (folder / INDEX).write_text("".join(lines), encoding="utf-8")


def read_cards(folder: Path) -> dict[str, Card]:
    """Cards of a folder by their paper's id, in the order of its index.

    Raises:
        RecordError: When a line is no card, repeats an id, or its file is absent or not what the index says.
        BridgebenchError: When there is no index.
    """
    index = folder / INDEX
    if not index.is_file():
        raise BridgebenchError(f"'{folder}' is no folder of cards: it has no {INDEX}")
    cards: dict[str, Card] = {}
    for place, line in _lines(index):
        card = _read_card(line, str(index), place)
        if card.paper_id in cards:
            raise RecordError(str(index), place, "paper_id", f"{card.paper_id!r} has a card already")
        file = folder / FILES / file_name(card.paper_id)
        if not file.is_file() or file.read_bytes() != card.markdown.encode():
            raise RecordError(str(index), place, "file", f"'{file}' is absent or differs from the index")
        cards[card.paper_id] = card
    return cards


def _lines(index: Path) -> Iterable[tuple[str, str]]:
    for number, line in enumerate(index.read_text(encoding="utf-8").split("\n"), 1):
        if line.strip():
            yield f"line {number}", line


def _read_card(line: str, file: str, place: str) -> Card:
    try:
        return _CARD.validate_json(line)
    except ValidationError as error:
        field, problem = _first_problem(error)
        raise RecordError(file, place, field, problem) from None
