"""Provence: one reading reranks a passage and prunes its sentences (Chirkova et al. 2025, arXiv 2501.16214)."""

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import replace
from itertools import accumulate
from typing import Annotated, Any, NamedTuple

from anyio import to_thread
from pydantic import Field

from bridgebench.batching import Batcher, device_lock
from bridgebench.document import Bridge, BridgeResult, Cost, Document
from bridgebench.errors import BridgebenchError, require
from bridgebench.fingerprint import checkpoint_fingerprint
from bridgebench.solvers._encoders import device, encoder_cost, load_once, load_pretrained
from bridgebench.solvers._ranking import require_finite, reranked
from bridgebench.solvers._sentences import split_sentences
from bridgebench.solvers._spacy import spacy_fingerprint
from bridgebench.solvers.bridge import bridge
from bridgebench.solvers.pruning import Passage, Rounding, normalise_question, pruned, select_sentences, split_blocks


class Reading(NamedTuple):
    """What the network says of a passage: its score, and the probability of keeping each token."""

    score: float
    probabilities: list[float]


class Readings(NamedTuple):
    """Readings of all passages of a question."""

    passages: list[Reading]
    cost: Cost


class Pruner:
    """A checkpoint of Provence or OpenProvence with its tokenizer and queue; float32."""

    def __init__(self, model: str, revision: str | None) -> None:
        torch = self._torch = require("torch", "local")
        transformers = require("transformers", "local")
        from bridgebench.solvers import _provence_model as networks

        try:
            config, _ = transformers.PretrainedConfig.get_config_dict(model, revision=revision)
            self.tokenizer: Any = transformers.AutoTokenizer.from_pretrained(model, revision=revision)
        except OSError as error:
            raise BridgebenchError(f"checkpoint '{model}' cannot be loaded: {error}") from error
        self.is_open = config.get("model_type") == networks.OpenProvenceConfig.model_type
        network = networks.OpenProvence if self.is_open else networks.Provence
        self.device = device()
        self.network = load_pretrained(network, model, revision=revision, dtype=torch.float32).to(self.device)
        self.limit: int = config["max_length" if self.is_open else "max_position_embeddings"]
        self.rounding: Rounding = "probability" if self.is_open else "decision"
        self.title_end = "\n" if self.is_open else " "
        self._name = model
        self._batcher: Batcher[list[int], Reading] = Batcher(
            self._forward, name=f"provence {model}", lock=device_lock(self.device)
        )

    def _forward(self, inputs: list[list[int]]) -> list[Reading]:
        padded = self.tokenizer.pad({"input_ids": inputs}, return_tensors="pt").to(self.device)
        with self._torch.inference_mode():
            scores, keep = self.network(padded["input_ids"], padded["attention_mask"])
        return [
            Reading(score, probabilities[: len(ids)])
            for score, probabilities, ids in zip(scores.tolist(), keep.tolist(), inputs, strict=True)
        ]

    def passage(self, sentences: list[str]) -> Passage:
        """Tokens of sentences that are read as one text; a token belongs to the sentence of its last character."""
        text = "".join(sentences)
        encoded = self.tokenizer(text, add_special_tokens=False, return_offsets_mapping=True, verbose=False)
        ends = list(accumulate(len(sentence) for sentence in sentences))
        lengths = [0] * len(sentences)
        for _, end in encoded["offset_mapping"]:
            lengths[min(bisect_left(ends, end), len(sentences) - 1)] += 1
        return Passage(sentences, encoded["input_ids"], lengths)

    async def read(self, question: str, passages: Sequence[Passage]) -> Readings:
        """Read each passage with the question, in blocks where it is too long.

        Raises:
            BridgebenchError: When the question fills the encoder.
        """
        ids = self.tokenizer(question, add_special_tokens=False, verbose=False)["input_ids"]
        capacity = self.limit - len(ids) - 3
        if capacity < 1:
            raise BridgebenchError(f"the question has {len(ids)} tokens; this model reads {self.limit} in all")
        asked, end = [self.tokenizer.cls_token_id, *ids, self.tokenizer.sep_token_id], self.tokenizer.sep_token_id
        blocks = [split_blocks(passage.lengths, capacity) for passage in passages]
        inputs = [
            [*asked, *passage.tokens[block], end]
            for passage, of_passage in zip(passages, blocks, strict=True)
            for block in of_passage
        ]
        results = await self._batcher.many(inputs, [len(item) for item in inputs])
        readings = iter(result.value for result in results)
        joined = []
        for of_passage in blocks:
            parts = [next(readings) for _ in of_passage]
            context = [value for part in parts for value in part.probabilities[len(asked) : -1]]
            joined.append(Reading(parts[0].score, context))
        return Readings(joined, encoder_cost(results, sum(map(len, inputs)), self._name, self.device))


def _fingerprint(model: str, revision: str | None, **_: Any) -> dict[str, Any]:
    return {"weights": checkpoint_fingerprint(model, revision), "dtype": "float32", "splitter": spacy_fingerprint()}


@bridge(
    family="pruner",
    paper="arXiv 2501.16214",
    checkpoint="naver/provence-reranker-debertav3-v1",
    parameters="430M",
    licence="CC BY-NC 4.0",
    non_commercial=True,
    training_data=("msmarco",),
    distilled=True,
    utility="outcome",
    extra="local,syntax",
    fingerprint=_fingerprint,
)
def provence(
    model: str = "naver/provence-reranker-debertav3-v1",
    revision: str | None = None,
    threshold: Annotated[float, Field(ge=0, le=1)] = 0.1,
    rounding: Rounding | None = None,
    titles: bool = True,
    always_select_title: bool = True,
    reorder: bool = True,
    top_k: Annotated[int | None, Field(ge=1)] = 10,
    normalize_question: bool | None = None,
) -> Bridge:
    """Keep the sentences that serve to answer, and order the documents by the same reading's score.

    A document none of whose sentences is kept is dropped. A passage that is too long is read in blocks, each with
    the question; its score is that of the first.

    Args:
        model: Hub id or folder of Provence (DeBERTa-v3) or OpenProvence (``hotchpotch/open-provence-reranker-*``, MIT).
        revision: Branch, tag or commit of a hub id.
        threshold: The authors' 0.1 is conservative, 0.5 aggressive.
        rounding: See `select_sentences`; None is the checkpoint's own: `decision` for Provence, `probability` for
            OpenProvence.
        titles: Whether a document's title is read as its first sentence.
        always_select_title: Keep the title with any sentence.
        reorder: Order by score, and keep `top_k`; else all documents in their order.
        top_k: How many documents are kept (the authors' default, 5, drops half of ten); None is all.
        normalize_question: See `normalise_question`; None is the checkpoint's own: true for Provence.
    """

    async def run(question: str, documents: Sequence[Document]) -> BridgeResult:
        pruner = await load_once(("provence", model, revision), lambda: Pruner(model, revision))
        split = await split_sentences([document.text for document in documents])
        titled = [bool(titles and document.title.strip()) for document in documents]
        passages = await to_thread.run_sync(
            lambda: [
                pruner.passage([f"{document.title.strip()}{pruner.title_end}", *found] if has_title else found)
                for document, found, has_title in zip(documents, split.texts, titled, strict=True)
            ]
        )
        normalise = not pruner.is_open if normalize_question is None else normalize_question
        readings = await pruner.read(normalise_question(question) if normalise else question, passages)
        for document, reading in zip(documents, readings.passages, strict=True):
            require_finite(document, reading.probabilities, "keep probability")
        kept = [
            select_sentences(
                reading.probabilities,
                passage.lengths,
                threshold,
                rounding or pruner.rounding,
                always_select_title and has_title,
            )
            for reading, passage, has_title in zip(readings.passages, passages, titled, strict=True)
        ]
        scores = [reading.score for reading in readings.passages]
        cost = replace(readings.cost, seconds=(readings.cost.seconds or 0.0) + split.seconds)
        notes = {
            "sentences": [len(decisions) for decisions in kept],
            "sentences_kept": [sum(decisions) for decisions in kept],
        }
        shorter = {
            document.id: pruned(document, passage.sentences, decisions, has_title)
            for document, passage, decisions, has_title in zip(documents, passages, kept, titled, strict=True)
        }
        result = reranked(documents, scores, top_k, cost, notes)
        order = result.documents if reorder else documents
        return replace(result, documents=tuple(filter(None, (shorter[document.id] for document in order))))

    return run
