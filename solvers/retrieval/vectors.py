"""Exact search among the vectors of texts, and how they come to be on disk."""

import json
import logging
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bridgebench.batching import Batcher, Timed
from bridgebench.checkpoints import device_name
from bridgebench.errors import BridgebenchError, require
from bridgebench.solvers._embedder import Embedder, Text
from bridgebench.solvers.retrieval.store import TEXTS, read_figures
from bridgebench.solvers.retrieval.texts import Texts
from bridgebench.solvers.retrieval.top import paper_scores

logger = logging.getLogger(__name__)

Vectors = NDArray[np.float32]

_SLICE = 1024
"""Texts that are embedded together: a queue of all would be sorted anew for every batch."""

_FILE = "vectors.safetensors"


@dataclass(frozen=True)
class Embeddings:
    """Vectors of texts.

    Attributes:
        vectors: Shape (texts, dimensions); of length 1 where the model compares by cosine.
        truncated: Texts of which the model read only the beginning.
        compared_by: ``cosine`` or ``dot``: how the model compares them.
        device: Where.
    """

    vectors: Vectors
    truncated: int
    compared_by: str
    device: str


async def embed_all(embedder: Embedder, texts: Sequence[str]) -> Embeddings:
    """Embed the texts of a corpus.

    Raises:
        BridgebenchError: When the model compares vectors by anything but cosine or dot product.
    """
    compared_by = embedder.encoder.similarity_fn_name
    if compared_by not in ("cosine", "dot"):
        raise BridgebenchError(f"the embedding model compares by {compared_by!r}; an index needs 'cosine' or 'dot'")
    parts, truncated = [], 0
    for start in range(0, len(texts), _SLICE):
        embedded = await embedder.embed([Text(text, False) for text in texts[start : start + _SLICE]])
        parts.append(np.asarray(embedded.vectors, dtype=np.float32))
        truncated += embedded.truncated
        logger.info("embedded %d of %d texts", start + len(parts[-1]), len(texts))
    vectors = np.concatenate(parts)
    if compared_by == "cosine":
        vectors = unit_length(vectors)
    return Embeddings(vectors, truncated, compared_by, device_name(embedder.device))


def unit_length(vectors: Vectors) -> Vectors:
    """Each vector at length 1; the zero vector stays."""
    lengths = np.linalg.norm(vectors, axis=-1, keepdims=True)
    scaled: Vectors = np.divide(vectors, lengths, out=np.zeros_like(vectors), where=lengths > 0)
    return scaled


def save_vectors(folder: Path, texts: Texts, vectors: Vectors) -> None:
    """Write vectors and what they are of."""
    require("safetensors", "local")
    from safetensors.numpy import save_file

    owners = np.array(texts.owners, dtype=np.int32)
    save_file({"vectors": vectors, "owners": owners}, folder / _FILE)
    whole = {"papers": texts.papers, "texts": texts.texts, "without": texts.without}
    (folder / TEXTS).write_text(json.dumps(whole), encoding="utf-8")


def load_vectors(folder: Path) -> "VectorIndex":
    """What `save_vectors` wrote."""
    from safetensors.numpy import load_file

    arrays = load_file(folder / _FILE)
    whole = json.loads((folder / TEXTS).read_text(encoding="utf-8"))
    texts = Texts(tuple(whole["papers"]), tuple(whole["texts"]), tuple(arrays["owners"].tolist()), whole["without"])
    return VectorIndex(texts, arrays["vectors"], read_figures(folder))


class VectorIndex:
    """Exact search: the product of questions and all vectors, the best text of each paper, the best papers.

    Args:
        texts: What the vectors are of.
        vectors: Shape (texts, dimensions).
        figures: What is known of it.
    """

    def __init__(self, texts: Texts, vectors: Vectors, figures: dict[str, Any]) -> None:
        self.texts, self.figures = texts, figures
        self._columns = np.ascontiguousarray(vectors).T
        self._queue: Batcher[Vectors, Vectors] = Batcher(
            lambda questions: list(self.scores(np.stack(questions))), name="vector search"
        )

    def text_scores(self, questions: Vectors) -> Vectors:
        """Similarity of each question to each text; shape (questions, texts)."""
        scores: Vectors = questions @ self._columns
        return scores

    def scores(self, questions: Vectors) -> Vectors:
        """Similarity of each question to each paper, which is that of its best text; shape (questions, papers)."""
        return paper_scores(self.text_scores(questions), self.texts.starts)

    async def ask(self, question: Vectors) -> Timed[Vectors]:
        """`scores` for one question, computed together with the other questions in flight."""
        return await self._queue(question, 1)

    def best_text(self, question: Vectors, paper: int) -> str:
        """The text by which a paper is found."""
        positions = self.texts.of(paper)
        own = self._columns[:, positions.start : positions.stop]
        return self.texts.texts[positions[int(np.argmax(question @ own))]]
