"""Retrieval in three steps (arXiv 2506.13778, section 4.3.2): a lexical filter, a syntactic one, vectors."""

import time
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from bridgebench.cards import read_cards
from bridgebench.corpus import Corpus
from bridgebench.document import Document
from bridgebench.solvers._ranking import SCORE_DIGITS
from bridgebench.solvers._words import words
from bridgebench.solvers.bridge import BoundBridge
from bridgebench.solvers.retrieval.dense import DenseIndex
from bridgebench.solvers.retrieval.engines import index_words
from bridgebench.solvers.retrieval.paper_vectors import Parts, question_build
from bridgebench.solvers.retrieval.retriever import Build, Found, retriever
from bridgebench.solvers.retrieval.top import top
from bridgebench.solvers.syntactic import Mode
from bridgebench.solvers.syntactic_reranker import syntactic_reranker

Filter = Literal["overlap", "bm25"]


@retriever
def hybrid(
    cards: str,
    lexical: Filter = "overlap",
    keep: Annotated[int, Field(ge=1)] = 20,
    levels: Annotated[int, Field(ge=1)] = 2,
    mode: Mode = "equation",
    parts: Parts = "kinds",
    model: str = "minilm",
    revision: str | None = None,
) -> Build:
    """Rank papers in three steps: words shared with the card, syntactic reranking of the cards, question vectors.

    What a step drops is not ranked. The paper does not say how it filters, nor how many cards it keeps: the defaults
    are its released code's.

    Args:
        cards: Folder of cards.
        lexical: First step: cards by the number of distinct words they share with the question (``overlap``), or by
            BM25; those that share none are dropped.
        keep: How many cards it keeps.
        levels: L of the second step, `syntactic_reranker`, which keeps the cards that hold a segment's words most often
            (all of them, where none holds any).
        mode: Of that step.
        parts: Vectors of the third step; see `question_vectors`.
        model: See `question_vectors`.
        revision: Branch, tag or commit of a hub id.
    """
    build_vectors = question_build(cards, parts, model, revision)

    async def build(corpus: Corpus) -> HybridIndex:
        dense = await build_vectors(corpus)
        read = read_cards(Path(cards).expanduser())
        texts = [read[paper].markdown for paper in dense.vectors.texts.papers]
        listed = [words(text) for text in texts]
        scores = (_Overlap(listed) if lexical == "overlap" else index_words(listed, k1=1.5, b=0.75)).scores
        return HybridIndex(texts, scores, keep, syntactic_reranker(levels=levels, mode=mode).bridge, dense)

    return build


class _Overlap:
    """Number of distinct words that texts share with a question."""

    def __init__(self, texts: list[list[str]]) -> None:
        self._words = [frozenset(text) for text in texts]

    def scores(self, asked: list[str]) -> NDArray[np.float64]:
        shared = np.array([len(text.intersection(asked)) for text in self._words], dtype=np.float64)
        return np.where(shared > 0, shared, -np.inf)


class HybridIndex:
    """Cards, and the vectors of their questions.

    Args:
        cards: Text of each paper's card, in the order of the vectors' papers.
        lexical: Scores of the cards by a question's words; ``-inf`` where they share none.
        keep: How many cards pass the lexical filter.
        syntactic: The bridge that passes on some of them.
        dense: The vectors.
    """

    def __init__(
        self,
        cards: list[str],
        lexical: Callable[[list[str]], NDArray[np.float64]],
        keep: int,
        syntactic: BoundBridge,
        dense: DenseIndex,
    ) -> None:
        self._cards, self._lexical, self._keep, self._syntactic, self._dense = cards, lexical, keep, syntactic, dense
        card_bytes = sum(len(card.encode()) for card in cards)
        self.figures = {**dense.figures, "text_bytes": dense.figures["text_bytes"] + card_bytes}
        self.figures["texts"] += len(cards)

    async def search(self, question: str, depth: int) -> Found:
        """See `retriever.Index`."""
        started = time.perf_counter()
        asked = words(question)
        filtered = top(self._lexical(asked), self._keep, SCORE_DIGITS) if asked else []
        seconds = time.perf_counter() - started
        documents = [Document(str(paper), "", self._cards[paper]) for paper in sorted(filtered)]
        result = await self._syntactic(question, documents)
        kept = [int(document.id) for document in result.documents]
        vector, scores, matching = await self._dense.scores(question)
        chosen = np.full(len(scores), -np.inf, dtype=scores.dtype)
        chosen[kept] = scores[kept]
        matches = [self._dense.match(vector, paper) for paper in top(chosen, depth, SCORE_DIGITS)]
        return Found(matches, seconds + (result.cost.seconds or 0.0) + matching)
