"""Cross-encoder reranking: question and passage read together, one score a pair (BGE: arXiv 2309.07597)."""

import copy
import sys
from collections.abc import Sequence
from typing import Annotated, Any

from anyio import to_thread
from pydantic import Field

from bridgebench.batching import Batcher, device_lock
from bridgebench.document import Bridge, BridgeResult, Document
from bridgebench.errors import BridgebenchError, require
from bridgebench.fingerprint import checkpoint_fingerprint
from bridgebench.solvers._encoders import device, encoder_cost, load_once, load_pretrained
from bridgebench.solvers._ranking import reranked
from bridgebench.solvers.bridge import bridge


class Scorer:
    """A cross-encoder of sentence-transformers and its queue; scores are raw logits in float32.

    Logits, because a sigmoid saturates and makes ties of the best passages. Only the passage is ever truncated.
    """

    def __init__(self, model: str, revision: str | None) -> None:
        torch = require("torch", "local")
        self.device = device()
        options = {"dtype": torch.float32, "use_safetensors": True}
        try:
            self.encoder: Any = require("sentence_transformers", "local").CrossEncoder(
                model, revision=revision, device=self.device, model_kwargs=options, activation_fn=torch.nn.Identity()
            )
        except OSError as error:
            raise BridgebenchError(f"checkpoint '{model}' cannot be loaded: {error}") from error
        if self.encoder.num_labels != 1:
            raise BridgebenchError(f"checkpoint '{model}' has {self.encoder.num_labels} labels; a reranker has one")
        # sentence-transformers does not say what it filled in at random: load once more, for the report alone
        load_pretrained(type(self.encoder.model), model, revision=revision, config=self.encoder.model.config)
        # for counting, on other threads: the encoder's own is set to truncate and to pad while its worker uses it
        self._tokenizer = copy.deepcopy(self.encoder.tokenizer)
        self.batcher: Batcher[tuple[str, str], float] = Batcher(
            self._scores, name=f"cross-encoder {model}", lock=device_lock(self.device)
        )

    def _scores(self, pairs: list[tuple[str, str]]) -> list[float]:
        scores = self.encoder.predict(
            pairs,
            batch_size=len(pairs),
            show_progress_bar=False,
            processing_kwargs={"text": {"truncation": "only_second"}},
        )
        return [float(score) for score in scores]

    def sizes(self, question: str, passages: Sequence[str]) -> tuple[list[int], int]:
        """Tokens of each pair as it is read, and how many passages are truncated.

        Raises:
            BridgebenchError: When the question alone leaves no room for a passage.
        """
        if not passages:
            return [], 0
        limit = self.encoder.max_seq_length or sys.maxsize
        asked = self._tokenizer(question, add_special_tokens=False, verbose=False)["input_ids"]
        alone = len(asked) + self._tokenizer.num_special_tokens_to_add(pair=True)
        if alone >= limit:
            raise BridgebenchError(f"the question has {alone} tokens; this cross-encoder reads {limit} in all")
        pairs = self._tokenizer([question] * len(passages), list(passages), verbose=False)["input_ids"]
        sizes = [len(pair) for pair in pairs]
        return [min(size, limit) for size in sizes], sum(size > limit for size in sizes)


def _fingerprint(model: str, revision: str | None, **_: Any) -> dict[str, Any]:
    return {"weights": checkpoint_fingerprint(model, revision), "dtype": "float32"}


@bridge(
    family="reranker",
    paper="arXiv 2309.07597",
    checkpoint="BAAI/bge-reranker-large",
    parameters="560M",
    licence="MIT",
    training_data=("hotpotqa", "msmarco"),
    extra="local",
    fingerprint=_fingerprint,
)
def bge_reranker(
    model: str = "BAAI/bge-reranker-large",
    revision: str | None = None,
    top_k: Annotated[int | None, Field(ge=1)] = None,
    titles: bool = True,
) -> Bridge:
    """Reorder documents by the score of a cross-encoder.

    Args:
        model: Hub id or folder of any cross-encoder with one label.
        revision: Branch, tag or commit of a hub id.
        top_k: How many documents are kept; None is all.
        titles: Whether a passage is title and text on two lines, or the text alone.

    Raises:
        BridgebenchError: On a sample whose question alone fills the encoder; questions are never cut.
    """

    async def run(question: str, documents: Sequence[Document]) -> BridgeResult:
        scorer = await load_once(("cross-encoder", model, revision), lambda: Scorer(model, revision))
        passages = [document.full_text if titles else document.text for document in documents]
        sizes, truncated = await to_thread.run_sync(scorer.sizes, question, passages)
        scores = await scorer.batcher.many([(question, passage) for passage in passages], sizes)
        cost = encoder_cost(scores, sum(sizes), model, scorer.device)
        return reranked(documents, [score.value for score in scores], top_k, cost, {"truncated": truncated})

    return run
