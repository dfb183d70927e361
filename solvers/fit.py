"""`fit`: makes the context keep a stated budget, the same for every bridge; what was cut is counted."""

import re
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from functools import lru_cache
from typing import Any

from bridgebench.document import Document
from bridgebench.errors import require
from bridgebench.reader import Cut

Spans = Callable[[str], list[tuple[int, int]]]
"""Start and end, in characters, of each unit (word or token) of a text."""


def word_spans(text: str) -> list[tuple[int, int]]:
    """Whitespace-separated words."""
    return [match.span() for match in re.finditer(r"\S+", text)]


def token_spans(tokenizer: str) -> Spans:
    """Tokens of a Hugging Face tokenizer (hub id, folder, or ``smollm2``), without special tokens.

    Raises:
        MissingExtraError: When transformers is not installed.
    """
    fast = _load_tokenizer(tokenizer)

    def spans(text: str) -> list[tuple[int, int]]:
        encoded = fast(text, add_special_tokens=False, return_offsets_mapping=True, verbose=False)
        return [(start, end) for start, end in encoded["offset_mapping"]]

    return spans


@lru_cache(maxsize=8)
def _load_tokenizer(tokenizer: str) -> Any:
    transformers = require("transformers", "local")
    if tokenizer == "smollm2":
        from bridgebench.models.embedded import embedded_model

        tokenizer = str(embedded_model())
    return transformers.AutoTokenizer.from_pretrained(tokenizer)


@dataclass(frozen=True)
class Fitted:
    """Documents within the budget, and what it took.

    Attributes:
        size: Units of context before (titles and texts; the prompt's own words are not counted).
        kept: Units after.
        documents_dropped: Documents left out whole.
        documents_cut: Documents shortened.
    """

    documents: tuple[Document, ...]
    budget: int | None
    unit: str
    cut: Cut
    size: int
    kept: int
    documents_dropped: int = 0
    documents_cut: int = 0

    def to_dict(self) -> dict[str, Any]:
        """All but the documents, which the log holds elsewhere."""
        return {key: value for key, value in asdict(replace(self, documents=())).items() if key != "documents"}


def fit(documents: Sequence[Document], budget: int | None, *, tokenizer: str | None = None, cut: Cut = "end") -> Fitted:
    """Cut a context to a budget.

    Args:
        documents: What the last bridge returned.
        budget: Most units (titles and texts together); None is no limit.
        tokenizer: Counts tokens of this tokenizer; None counts whitespace-separated words.
        cut: ``end`` drops whole documents from the end, then cuts the last one kept. ``middle`` keeps the first
            half of the budget and its last half and cuts what lies between (as LongBench does to a whole prompt).
    """
    unit = tokenizer or "words"
    spans = token_spans(tokenizer) if tokenizer else word_spans
    if budget is None and tokenizer is None:  # the common case pays for one split, not for offsets
        size = sum(len(document.title.split()) + len(document.text.split()) for document in documents)
        return Fitted(tuple(documents), None, unit, cut, size, size)
    sizes = [_size(document, spans) for document in documents]
    size = sum(sizes)
    if budget is None or size <= budget:
        return Fitted(tuple(documents), budget, unit, cut, size, size)
    room, kept = budget, size
    while kept > budget:  # a text that is cut inside a character or a word has other tokens than before
        pieces = (
            _head(documents, sizes, room, spans)
            if cut == "end"
            else _middle(documents, sizes, room - room // 2, room // 2, spans)
        )
        kept = sum(_size(document, spans) for document in pieces if document is not None)
        room -= kept - budget
    fitted = tuple(document for document in pieces if document is not None)
    return Fitted(
        documents=fitted,
        budget=budget,
        unit=unit,
        cut=cut,
        size=size,
        kept=kept,
        documents_dropped=len(documents) - len(fitted),
        documents_cut=sum(a is not b for a, b in zip(documents, pieces, strict=True) if b is not None),
    )


def _size(document: Document, spans: Spans) -> int:
    return len(spans(document.title)) + len(spans(document.text))


def _head(documents: Sequence[Document], sizes: Sequence[int], budget: int, spans: Spans) -> list[Document | None]:
    pieces: list[Document | None] = []
    for document, size in zip(documents, sizes, strict=True):
        if size <= budget:
            pieces.append(document)
        else:
            room = budget - len(spans(document.title))
            ends = spans(document.text)
            pieces.append(replace(document, text=document.text[: ends[room - 1][1]]) if room > 0 else None)
        budget = max(0, budget - size)
    return pieces


def _middle(
    documents: Sequence[Document], sizes: Sequence[int], first: int, last: int, spans: Spans
) -> list[Document | None]:
    """Keep the first and the last units; a document that holds both cuts loses its own middle."""
    total, position = sum(sizes), 0
    pieces: list[Document | None] = []
    for document, size in zip(documents, sizes, strict=True):
        head = min(size, max(0, first - position))  # units of this document before the gap
        tail = min(size, max(0, position + size - (total - last)))  # and after it
        position += size
        if head + tail >= size:
            pieces.append(document)
            continue
        title = len(spans(document.title))
        ends = spans(document.text)
        before = document.text[: ends[head - title - 1][1]] if head > title else ""
        after = document.text[ends[max(0, len(ends) - tail)][0] :] if tail and ends else ""
        text = f"{before} {after}" if before and after else before or after
        pieces.append(replace(document, title=document.title if before else "", text=text) if text else None)
    return pieces
