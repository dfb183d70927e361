"""Bi-encoder reranking: question and documents embedded apart, compared by the model's own similarity.

Sentence-BERT (arXiv 1908.10084); the packaged all-MiniLM-L6-v2 runs without a network.
"""

from collections.abc import Sequence
from typing import Annotated

from pydantic import Field

from bridgebench.document import Bridge, BridgeResult, Document
from bridgebench.solvers._embedder import Text, embedder_fingerprint, load_embedder
from bridgebench.solvers._ranking import reranked
from bridgebench.solvers.bridge import bridge


@bridge(
    family="reranker",
    paper="arXiv 1908.10084",
    checkpoint="sentence-transformers/all-MiniLM-L6-v2",
    parameters="23M",
    licence="Apache-2.0",
    training_data=("msmarco", "nq"),
    extra="local",
    fingerprint=embedder_fingerprint,
)
def embedding_reranker(
    model: str = "minilm",
    revision: str | None = None,
    top_k: Annotated[int | None, Field(ge=1)] = None,
    titles: bool = True,
) -> Bridge:
    """Reorder documents by the similarity of their embedding to the question's.

    Args:
        model: Hub id or folder of any sentence-transformers model; ``minilm`` is the packaged all-MiniLM-L6-v2.
        revision: Branch, tag or commit of a hub id.
        top_k: How many documents are kept; None is all.
        titles: Whether a document is title and text on two lines, or the text alone.
    """

    async def run(question: str, documents: Sequence[Document]) -> BridgeResult:
        if not documents:
            return BridgeResult(())
        embedder = await load_embedder(model, revision)
        passages = [document.full_text if titles else document.text for document in documents]
        embedded = await embedder.embed([Text(question, True), *(Text(passage, False) for passage in passages)])
        scores = embedder.similarities(embedded.vectors[0], embedded.vectors[1:])
        return reranked(documents, scores, top_k, embedded.cost, {"truncated": embedded.truncated})

    return run
