"""BM25 over a corpus of papers: the lexical baseline of the retrieval tasks."""

from functools import lru_cache
from typing import Literal, get_args

import numpy as np
from inspect_ai.solver import Generate, Solver, TaskState, solver
from rank_bm25 import BM25Okapi

from bridgebench.corpus import Paper, published
from bridgebench.errors import BridgebenchError
from bridgebench.solvers._words import words
from bridgebench.store import Ranking

Field = Literal["abstract", "full_text"]


@solver
def bm25(field: Field = "abstract", depth: int = 10) -> Solver:
    """Rank the papers of the task's corpus by BM25 with the question (rank-bm25's Okapi, its default parameters).

    Papers that share no word with the question are not ranked. Needs no model (``--model none``).

    Args:
        field: What of a paper is indexed: its ``abstract``, or its ``full_text``.
        depth: Most papers that are ranked.

    Raises:
        BridgebenchError: When an argument is wrong; when the task has no corpus.
    """
    if field not in get_args(Field):
        raise BridgebenchError(f"bm25: 'field' must be one of {', '.join(get_args(Field))}, got {field!r}")
    if not isinstance(depth, int) or isinstance(depth, bool) or depth < 1:
        raise BridgebenchError(f"bm25: 'depth' must be a positive whole number, got {depth!r}")

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        index = _index(published(state.metadata.get("corpus")).sha256, field)
        state.store_as(Ranking).ranked = index.search(state.input_text, depth)
        return state

    return solve


class Bm25Index:
    """An index over one text of each paper.

    Args:
        papers: The corpus.
        field: The text that is indexed.
    """

    def __init__(self, papers: tuple[Paper, ...], field: Field) -> None:
        self._ids = [paper.id for paper in papers]
        texts = [paper.abstract if field == "abstract" else paper.full_text for paper in papers]
        self._words = [words(text) for text in texts]
        self._vocabularies = [frozenset(listed) for listed in self._words]
        self._bm25 = BM25Okapi(self._words) if any(self._words) else None

    def search(self, query: str, depth: int) -> list[str]:
        """Ids of at most `depth` papers, best first; equal scores in the order of the corpus."""
        asked = words(query)
        if self._bm25 is None or not asked:
            return []
        order = np.argsort(-self._bm25.get_scores(asked), kind="stable")
        shared = (position for position in order if not self._vocabularies[position].isdisjoint(asked))
        return [self._ids[position] for _, position in zip(range(depth), shared, strict=False)]


@lru_cache(maxsize=4)
def _index(sha256: str, field: Field) -> Bm25Index:
    return Bm25Index(published(sha256).papers, field)
