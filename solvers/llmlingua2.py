"""LLMLingua-2: drops words by a classifier of tokens, whatever the question (Pan et al. 2024, arXiv 2403.12968).

Own code: the authors' package downloads a tokenizer of another company when it starts, and pins an old transformers.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Annotated, Any

from anyio import to_thread
from pydantic import Field

from bridgebench.batching import Batcher, device_lock
from bridgebench.document import Bridge, BridgeResult, Document
from bridgebench.errors import BridgebenchError, require
from bridgebench.fingerprint import checkpoint_fingerprint
from bridgebench.solvers._encoders import device, encoder_cost, load_once, load_pretrained
from bridgebench.solvers._ranking import require_finite
from bridgebench.solvers.bridge import bridge
from bridgebench.solvers.token_pruning import TokenToWord, keep_words, merge_words, split_chunks

CHUNK_TOKENS = 512
"""Most tokens that the classifier reads at a time, special tokens included."""


class TokenClassifier:
    """A classifier of tokens as to keep or to drop, with its tokenizer and queue; float32."""

    def __init__(self, model: str, revision: str | None) -> None:
        self._torch = require("torch", "local")
        transformers = require("transformers", "local")
        self.device = device()
        network = load_pretrained(
            transformers.AutoModelForTokenClassification, model, revision=revision, dtype=self._torch.float32
        )
        self._network = network.to(self.device)
        self.tokenizer: Any = transformers.AutoTokenizer.from_pretrained(model, revision=revision)
        self.wordpiece = isinstance(self.tokenizer, transformers.BertTokenizer)
        self.batcher: Batcher[list[int], list[float]] = Batcher(
            self._classify, name=f"token classifier {model}", lock=device_lock(self.device)
        )

    def _classify(self, inputs: list[list[int]]) -> list[list[float]]:
        """Probability of keeping each token, the special ones at both ends left out."""
        padded = self.tokenizer.pad({"input_ids": inputs}, return_tensors="pt").to(self.device)
        with self._torch.inference_mode():
            logits = self._network(padded["input_ids"], attention_mask=padded["attention_mask"]).logits
        keep = logits.softmax(dim=-1)[..., 1].tolist()
        return [row[1 : len(ids) - 1] for row, ids in zip(keep, inputs, strict=True)]

    def chunks(self, text: str) -> list[list[int]]:
        """Token ids of a text's chunks, without special tokens."""
        ids = self.tokenizer(text, add_special_tokens=False, verbose=False)["input_ids"]
        tokens = self.tokenizer.convert_ids_to_tokens(ids)
        size = min(CHUNK_TOKENS, self.tokenizer.model_max_length) - 2
        return [ids[chunk] for chunk in split_chunks(tokens, size, (".", "\n"))]

    def framed(self, ids: Sequence[int]) -> list[int]:
        """With the special tokens at both ends."""
        return [self.tokenizer.cls_token_id, *ids, self.tokenizer.sep_token_id]


def _fingerprint(model: str, revision: str | None, **_: Any) -> dict[str, Any]:
    return {"weights": checkpoint_fingerprint(model, revision), "dtype": "float32"}


@bridge(
    family="pruner",
    paper="arXiv 2403.12968",
    checkpoint="microsoft/llmlingua-2-xlm-roberta-large-meetingbank",
    parameters="560M",
    licence="MIT",
    training_data=("meetingbank",),
    distilled=True,
    extra="local",
    fingerprint=_fingerprint,
)
def llmlingua2(
    model: str = "microsoft/llmlingua-2-xlm-roberta-large-meetingbank",
    revision: str | None = None,
    rate: Annotated[float, Field(gt=0, le=1)] = 0.5,
    force_tokens: list[str] | None = None,
    force_digits: bool = False,
    drop_consecutive: bool = False,
    token_to_word: TokenToWord = "mean",
) -> Bridge:
    """Drop the words of each document that a classifier finds dispensable. Titles stay as they are.

    Args:
        model: Hub id or folder, for example ``microsoft/llmlingua-2-bert-base-multilingual-cased-meetingbank``.
        revision: Branch, tag or commit of a hub id.
        rate: Share of the tokens of each chunk that is kept.
        force_tokens: Kept always; each must be one token of the model's tokenizer.
        force_digits: Whether tokens with a digit are kept always.
        drop_consecutive: Whether a forced token that would follow itself is dropped.
        token_to_word: How a word's probability comes from its tokens'.

    Raises:
        BridgebenchError: When a token of `force_tokens` is none of the tokenizer's.
    """
    forced = frozenset(force_tokens or ())

    async def run(question: str, documents: Sequence[Document]) -> BridgeResult:
        if rate >= 1:  # not even white space is changed
            return BridgeResult(tuple(documents))
        classifier = await load_once(("token classifier", model, revision), lambda: TokenClassifier(model, revision))
        tokenizer = classifier.tokenizer
        for token in forced:
            if not {token, f"▁{token}"} & tokenizer.get_vocab().keys():
                raise BridgebenchError(f"force_tokens: {token!r} is no token of '{model}'")
        chunked = await to_thread.run_sync(lambda: [classifier.chunks(document.text) for document in documents])
        inputs = [classifier.framed(chunk) for chunks in chunked for chunk in chunks]
        results = await classifier.batcher.many(inputs, [len(ids) for ids in inputs])
        readings = iter([result.value for result in results])
        kept, words_in, words_kept = [], 0, 0
        for document, chunks in zip(documents, chunked, strict=True):
            texts = []
            for chunk in chunks:
                probabilities = next(readings)
                require_finite(document, probabilities, "keep probability")
                words = merge_words(
                    tokenizer.convert_ids_to_tokens(chunk),
                    probabilities,
                    wordpiece=classifier.wordpiece,
                    how=token_to_word,
                    force_tokens=forced,
                    force_digits=force_digits,
                )
                remaining = keep_words(words, rate, forced, drop_consecutive)
                texts.append(tokenizer.convert_tokens_to_string([word.text for word in remaining]))
                words_in, words_kept = words_in + len(words), words_kept + len(remaining)
            kept.append(replace(document, text=" ".join(texts).strip()))
        return BridgeResult(
            tuple(document for document in kept if document.text),
            cost=encoder_cost(results, sum(map(len, inputs)), model, classifier.device),
            notes={"words": words_in, "words_kept": words_kept, "chunks": len(inputs)},
        )

    return run
