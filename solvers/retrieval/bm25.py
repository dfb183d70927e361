"""BM25 over a corpus of papers: the lexical index (Robertson et al., TREC-3, 1994)."""

import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import pydantic

from bridgebench.corpus import Corpus
from bridgebench.errors import BridgebenchError
from bridgebench.solvers._words import words
from bridgebench.solvers.retrieval.chunking import Unit, fixed_chunks
from bridgebench.solvers.retrieval.engines import Engine, Lexical, RankBm25, index_words, read_index
from bridgebench.solvers.retrieval.papers import Field, card_texts, paper_texts, whole_card
from bridgebench.solvers.retrieval.retriever import Build, Found, Match, cards_hash, retriever
from bridgebench.solvers.retrieval.store import read_figures, stored_index
from bridgebench.solvers.retrieval.texts import Texts, gather
from bridgebench.solvers.retrieval.top import paper_scores, top

DIGITS = 9
"""Decimals of a score that count: sums of equal terms in another order are ties."""


@retriever
def bm25(
    field: Field = "abstract",
    cards: str | None = None,
    engine: Engine = "rank-bm25",
    k1: Annotated[float, pydantic.Field(ge=0)] = 1.5,
    b: Annotated[float, pydantic.Field(ge=0, le=1)] = 0.75,
    chunk: Annotated[int | None, pydantic.Field(ge=1)] = None,
    overlap: Annotated[int, pydantic.Field(ge=0)] = 0,
    unit: Unit = "words",
) -> Build:
    """Rank the papers of the task's corpus by BM25 with the question.

    Papers that share no word with the question are not ranked.

    Args:
        field: What of a paper is indexed: its ``abstract``, its ``full_text``, or its card (``cards``).
        cards: Folder of cards.
        engine: ``rank-bm25`` is the reference; ``bm25s`` ranks alike, is faster and kept on disk.
        k1: Saturation of term frequency (rank-bm25's default).
        b: Weight of length normalisation (rank-bm25's default).
        chunk: Size of the chunks that a text is cut into, of which the best counts; None leaves it whole.
        overlap: Of neighbouring chunks.
        unit: Of both.
    """
    if (field == "cards") != (cards is not None):
        raise BridgebenchError("bm25: field=cards and cards=FOLDER belong together")
    if chunk is not None and overlap >= chunk:
        raise BridgebenchError(f"bm25: overlap={overlap} must be less than chunk={chunk}")
    settings = {"k1": k1, "b": b, "chunk": chunk, "overlap": overlap, "unit": unit, "field": field}

    async def build(corpus: Corpus) -> Bm25Index:
        texts = card_texts(corpus, str(cards), whole_card) if field == "cards" else paper_texts(corpus, field)
        texts = _with_words(texts, lambda text: [text] if chunk is None else fixed_chunks(text, chunk, overlap, unit))
        if engine == "rank-bm25":
            started = time.perf_counter()
            index = RankBm25(list(_words(texts)), k1, b)
            return Bm25Index(texts, index, {"build_seconds": time.perf_counter() - started})

        async def write(folder: Path) -> dict[str, Any]:
            index_words(_words(texts), k1, b).save(folder)
            return {}

        identity = {"bm25": settings, "corpus": corpus.sha256, "cards": cards_hash(cards)}
        folder = await stored_index(identity, write)
        return Bm25Index(texts, read_index(folder), read_figures(folder))

    return build


def _with_words(texts: Texts, cut: Callable[[str], list[str]]) -> Texts:
    """The chunks that hold a word: an index of nothing but others would have no statistics."""
    cut_up = gather(
        (paper, [chunk for chunk in cut(text) if words(chunk)])
        for paper, text in zip(texts.papers, texts.texts, strict=True)
    )
    return replace(cut_up, without=cut_up.without + texts.without)


def _words(texts: Texts) -> Iterator[list[str]]:
    return map(words, texts.texts)


class Bm25Index:
    """Texts and an index of their words.

    Args:
        texts: What is indexed.
        lexical: Index of the words of each text.
        figures: What is known of it.
    """

    def __init__(self, texts: Texts, lexical: Lexical, figures: dict[str, Any]) -> None:
        self.texts, self._lexical = texts, lexical
        self.figures = {"vectors": 0, "truncated": 0, **figures, **texts.figures, "device": "cpu"}

    async def search(self, question: str, depth: int) -> Found:
        """See `retriever.Index`."""
        started = time.perf_counter()
        found = self.find(question, depth)
        return Found(found, time.perf_counter() - started)

    def find(self, question: str, depth: int) -> list[Match]:
        """At most `depth` papers, best first; equal scores in the order of the corpus."""
        asked = words(question)
        if not asked:
            return []
        scores = self._lexical.scores(asked)
        best = top(paper_scores(scores, self.texts.starts), depth, DIGITS)
        return [Match(self.texts.papers[paper], self._best_text(scores, paper)) for paper in best]

    def _best_text(self, scores: Any, paper: int) -> str:
        positions = self.texts.of(paper)
        best: int = scores[positions.start : positions.stop].argmax()
        return self.texts.texts[positions[best]]
