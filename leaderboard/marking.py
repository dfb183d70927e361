"""Marks, word by word, what a bridge did to documents: kept, removed, rewritten, added."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import groupby
from typing import Literal

from bridgebench.document import Document
from bridgebench.leaderboard.cut import cut

Kind = Literal["kept", "removed", "rewritten", "added"]

MOST_WORDS = 600
"""Words of a document that are compared and shown; how many more there are is said."""

MOST_CHARACTERS = 100
"""Characters of one word that are shown."""


@dataclass(frozen=True)
class Passage:
    """A document with its words marked.

    Attributes:
        title: Its title.
        runs: Neighbouring words of one kind, with the kind.
        gold: Whether it is one of the benchmark's gold documents, or made from one.
        unshown: Words beyond `MOST_WORDS`.
    """

    title: str
    runs: tuple[tuple[Kind, str], ...]
    gold: bool
    unshown: int


def mark(
    before: Sequence[Document], after: Sequence[Document], gold: frozenset[str] = frozenset()
) -> tuple[list[Passage], list[Passage]]:
    """Compare what was retrieved with what the generator read.

    Each document after is aligned with the retrieved documents it names as its sources. There, a word is *kept*
    where the alignment holds it; else *rewritten* where any retrieved document has it (moved, inflected from
    elsewhere, merged), and *added* where none has. A retrieved word that no alignment holds is *removed*.

    Args:
        before: Retrieved documents.
        after: Documents in the context.
        gold: Ids of the gold documents.
    """
    words = {document.id: _words(document.text) for document in before}
    known = {_plain(word) for document in before for word in [*words[document.id], *document.title.split()]}
    kept = {document.id: [False] * len(words[document.id]) for document in before}
    passages = []
    for document in after:
        sources = [source for source in document.sources if source in words]
        original = [(source, i) for source in sources for i in range(len(words[source]))]
        own = _words(document.text)
        kinds: list[Kind] = ["rewritten" if _plain(word) in known else "added" for word in own]
        for i, j in _aligned([_plain(words[source][i]) for source, i in original], [_plain(word) for word in own]):
            kinds[j] = "kept"
            kept[original[i][0]][original[i][1]] = True
        passages.append(_passage(document, own, kinds, gold & set(document.sources)))
    originals = [
        _passage(
            document,
            words[document.id],
            ["kept" if is_kept else "removed" for is_kept in kept[document.id]],
            gold & {document.id},
        )
        for document in before
    ]
    return originals, passages


def counts(passages: Sequence[Passage]) -> Mapping[Kind, int]:
    """Words of each kind."""
    found: dict[Kind, int] = {}
    for passage in passages:
        for kind, text in passage.runs:
            found[kind] = found.get(kind, 0) + len(text.split())
    return found


def _aligned(before: list[str], after: list[str]) -> list[tuple[int, int]]:
    """Positions of equal words in the longest matching blocks, in order."""
    if before == after:
        return [(i, i) for i in range(len(after))]
    blocks = SequenceMatcher(None, before, after, autojunk=False).get_matching_blocks()
    return [(block.a + k, block.b + k) for block in blocks for k in range(block.size)]


def _passage(document: Document, words: Sequence[str], kinds: Sequence[Kind], gold: frozenset[str]) -> Passage:
    runs = []
    for kind, group in groupby(zip(kinds, words, strict=True), key=lambda pair: pair[0]):
        runs.append((kind, " ".join(cut(word, MOST_CHARACTERS) for _, word in group)))
    return Passage(document.title, tuple(runs), bool(gold), max(0, len(document.text.split()) - len(words)))


def _words(text: str) -> list[str]:
    return text.split(maxsplit=MOST_WORDS)[:MOST_WORDS]


def _plain(word: str) -> str:
    return re.sub(r"\W+", "", word.lower()) or word
