"""What the indexes of vectors share: texts are embedded once and kept, questions are compared with all of them."""

import time
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from bridgebench.corpus import Corpus
from bridgebench.solvers._embedder import Embedder, Text, embedder_fingerprint, load_embedder
from bridgebench.solvers._ranking import SCORE_DIGITS
from bridgebench.solvers.retrieval.retriever import Found, Match, cards_hash
from bridgebench.solvers.retrieval.store import stored_index
from bridgebench.solvers.retrieval.texts import Texts
from bridgebench.solvers.retrieval.top import top
from bridgebench.solvers.retrieval.vectors import (
    Embeddings,
    VectorIndex,
    Vectors,
    embed_all,
    load_vectors,
    save_vectors,
    unit_length,
)


class Encoded(NamedTuple):
    """Texts with their vectors."""

    texts: Texts
    embeddings: Embeddings


Encode = Callable[[Corpus, Embedder], Awaitable[Encoded]]


def of_texts(texts_of: Callable[[Corpus], Texts]) -> Encode:
    """Each text embedded by itself."""

    async def encode(corpus: Corpus, embedder: Embedder) -> Encoded:
        texts = texts_of(corpus)
        return Encoded(texts, await embed_all(embedder, texts.texts))

    return encode


def vector_build(
    encode: Encode, kind: str, arguments: Mapping[str, Any], model: str, revision: str | None, cards: str | None = None
) -> Callable[[Corpus], Awaitable["DenseIndex"]]:
    """How an index of vectors is built, or read from disk where it was built before.

    Args:
        encode: From the corpus to texts and vectors.
        kind: Name of the way.
        arguments: What else decides the vectors.
        model: See `load_embedder`.
        revision: Of a hub id.
        cards: Folder of cards that it is made of.
    """

    async def build(corpus: Corpus) -> "DenseIndex":
        embedder = await load_embedder(model, revision)

        async def write(folder: Path) -> dict[str, Any]:
            encoded = await encode(corpus, embedder)
            save_vectors(folder, encoded.texts, encoded.embeddings.vectors)
            return {
                "vectors": len(encoded.embeddings.vectors),
                "truncated": encoded.embeddings.truncated,
                "device": encoded.embeddings.device,
                **encoded.texts.figures,
            }

        identity = {
            kind: dict(arguments),
            "corpus": corpus.sha256,
            "cards": cards_hash(cards),
            "model": embedder_fingerprint(model, revision),
        }
        folder = await stored_index(identity, write)
        return DenseIndex(load_vectors(folder), embedder)

    return build


class DenseIndex:
    """Vectors of papers, and the model that embeds questions.

    Args:
        vectors: The index.
        embedder: The model.
    """

    def __init__(self, vectors: VectorIndex, embedder: Embedder) -> None:
        self.vectors, self.figures = vectors, vectors.figures
        self._embedder = embedder

    async def search(self, question: str, depth: int) -> Found:
        """See `retriever.Index`."""
        vector, scores, seconds = await self.scores(question)
        started = time.perf_counter()
        matches = [self.match(vector, paper) for paper in top(scores, depth, SCORE_DIGITS)]
        return Found(matches, seconds + time.perf_counter() - started)

    async def scores(self, question: str) -> tuple[Vectors, Vectors, float]:
        """A question's vector, its similarity to each paper, and the seconds that both took."""
        embedded = await self._embedder.embed([Text(question, True)])
        vector = np.asarray(embedded.vectors[0], dtype=np.float32)
        if self._embedder.encoder.similarity_fn_name == "cosine":
            vector = unit_length(vector)
        asked = await self.vectors.ask(vector)
        return vector, asked.value, (embedded.cost.seconds or 0.0) + asked.seconds

    def match(self, vector: Vectors, paper: int) -> Match:
        """A paper, with the text that is nearest to the question."""
        return Match(self.vectors.texts.papers[paper], self.vectors.best_text(vector, paper))
