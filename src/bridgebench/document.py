"""What flows through the suite: documents, and what a bridge makes of them.

Everything here is frozen and JSON-serialisable, so that a result can be cached, logged and compared.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, Literal, Protocol, runtime_checkable

from bridgebench.errors import BridgebenchError

Parse = Literal["ok", "repaired", "fallback", "empty"]
"""How a bridge's raw output was read: as specified, after a counted repair, not at all (a stated fallback
was used), or as a legal empty output."""


@dataclass(frozen=True)
class Document:
    """A passage that a generator may read.

    Attributes:
        id: Unique among the documents of one question.
        title: Title of the page; empty when there is none.
        text: The passage itself, without the title.
        sources: Ids of the *retrieved* documents it was made from; a retrieved document is its own source.
    """

    id: str
    title: str
    text: str
    sources: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if not self.sources:
            object.__setattr__(self, "sources", (self.id,))

    @property
    def full_text(self) -> str:
        """Title and text on lines of their own; the text alone when there is no title."""
        return f"{self.title}\n{self.text}" if self.title else self.text

    def to_dict(self) -> dict[str, Any]:
        """As JSON types (lists, not tuples: Inspect's logs take nothing else)."""
        return {"id": self.id, "title": self.title, "text": self.text, "sources": list(self.sources)}

    @classmethod
    def from_dict(cls, value: Mapping[str, Any]) -> "Document":
        """Inverse of `to_dict`.

        Raises:
            BridgebenchError: When it is no mapping, or a field is absent or of the wrong type.
        """
        if not isinstance(value, Mapping):
            raise BridgebenchError(f"document: must be a mapping, got {type(value).__name__}")
        for name in ("id", "title", "text"):
            if not isinstance(value.get(name), str):
                raise BridgebenchError(
                    f"document {value.get('id')!r}: field '{name}' must be a string, got {value.get(name)!r}"
                )
        sources = value.get("sources") or [value["id"]]
        if not isinstance(sources, list | tuple) or not all(isinstance(source, str) for source in sources):
            raise BridgebenchError(f"document '{value['id']}': field 'sources' must be a list of strings")
        return cls(value["id"], value["title"], value["text"], tuple(sources))


@dataclass(frozen=True)
class Cost:
    """What a bridge spent on one question.

    Attributes:
        seconds: Device-seconds: a batch's time shared out by token count, waiting in queues excluded; None lets the
            harness fill in the wall time of the call.
        calls: Model calls (forward passes over one item, or language-model generations).
        input_tokens: Tokens read, without padding; None when there is no tokenizer.
        output_tokens: Tokens written; None when there is no tokenizer.
        tokenizer: Name of the one tokenizer both counts are in.
        device: Where the time was spent, for example ``cpu`` or a GPU's name; time axes never mix devices.
    """

    seconds: float | None = None
    calls: int = 0
    input_tokens: int | None = None
    output_tokens: int | None = None
    tokenizer: str | None = None
    device: str | None = None

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)


@dataclass(frozen=True)
class BridgeResult:
    """The documents the generator will read instead, and what it took to make them.

    Attributes:
        documents: In reading order.
        parse: How the bridge's output was read; a repair is part of the method: counted and reported.
        cost: What was spent.
        answer: Only for bridges that answer themselves (the equal-compute control): this becomes the
            sample's answer and the generator is not called.
        notes: Diagnostics as JSON values (scores, dropped ids, fallbacks taken), shown in the log.
    """

    documents: tuple[Document, ...]
    parse: Parse = "ok"
    cost: Cost = Cost()
    answer: str | None = None
    notes: Mapping[str, Any] = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        return {
            "documents": [document.to_dict() for document in self.documents],
            "parse": self.parse,
            "cost": self.cost.to_dict(),
            "answer": self.answer,
            "notes": dict(self.notes),
        }

    @classmethod
    def from_dict(cls, value: Mapping[str, Any]) -> "BridgeResult":
        return cls(
            documents=tuple(Document.from_dict(document) for document in value["documents"]),
            parse=value["parse"],
            cost=Cost(**value["cost"]),
            answer=value["answer"],
            notes=value["notes"],
        )


@runtime_checkable
class Bridge(Protocol):
    """A step between retriever and generator.

    It sees the question and the documents, never the sample, the target or the metadata: a bridge cannot
    leak the answer because it is never given it.
    """

    async def __call__(self, question: str, documents: Sequence[Document]) -> "BridgeResult | Sequence[Document]":
        """Return what the generator will read instead of `documents`."""
        ...


def count_words(documents: Sequence[Document]) -> int:
    """Whitespace-separated words of titles and texts."""
    return sum(len(document.title.split()) + len(document.text.split()) for document in documents)


def count_characters(documents: Sequence[Document]) -> int:
    """Characters of titles and texts."""
    return sum(len(document.title) + len(document.text) for document in documents)
