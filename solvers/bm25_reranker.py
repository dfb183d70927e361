"""BM25 over the retrieved documents: the lexical baseline that needs no model (Robertson et al., TREC-3, 1994)."""

from collections.abc import Sequence
from typing import Annotated

import numpy
from pydantic import Field
from rank_bm25 import BM25Okapi

from bridgebench.document import Bridge, BridgeResult, Document
from bridgebench.solvers._ranking import reranked
from bridgebench.solvers._words import words
from bridgebench.solvers.bridge import bridge


@bridge(
    family="reranker",
    paper="Robertson et al., Okapi at TREC-3, 1994",
    licence="Apache-2.0 (rank-bm25)",
    cached=False,  # cheaper than a look-up
)
def bm25_reranker(
    top_k: Annotated[int | None, Field(ge=1)] = None,
    k1: Annotated[float, Field(gt=0)] = 1.5,
    b: Annotated[float, Field(ge=0, le=1)] = 0.75,
    titles: bool = True,
) -> Bridge:
    """Reorder documents by BM25 with the question.

    Document frequencies and the average length are those of the question's own documents.

    Args:
        top_k: How many documents are kept; None is all.
        k1: Saturation of term frequency.
        b: Weight of length normalisation.
        titles: Whether titles count as text.
    """

    async def run(question: str, documents: Sequence[Document]) -> BridgeResult:
        corpus = [words(document.full_text if titles else document.text) for document in documents]
        if not any(corpus):  # no statistics to compute
            return reranked(documents, [0.0] * len(documents), top_k)
        with numpy.errstate(invalid="ignore"):  # with b = 1 a document without words has 0 / 0
            scores = BM25Okapi(corpus, k1=k1, b=b).get_scores(words(question))
        return reranked(documents, numpy.where([bool(found) for found in corpus], scores, 0.0).tolist(), top_k)

    return run
