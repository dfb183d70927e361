"""The one sentence splitter: spaCy's ``senter``, batched over the samples in flight.

It works without a network. EXIT's authors use it; Provence's use NLTK's punkt, whose data must be downloaded.
"""

import sys
from collections.abc import Sequence
from dataclasses import dataclass

from bridgebench.batching import Batcher
from bridgebench.solvers._encoders import load_once
from bridgebench.solvers._spacy import installed_model, load_pipes


@dataclass(frozen=True)
class Sentences:
    """Sentences of texts.

    Attributes:
        texts: Of each text its sentences, each with the white space that follows: they join to the text.
        seconds: What splitting took.
    """

    texts: list[list[str]]
    seconds: float


class _Splitter:
    def __init__(self, model: str) -> None:
        self._pipeline = load_pipes(model, ["senter"])
        self._pipeline.max_length = sys.maxsize  # spaCy's limit is for its parser
        self.batcher: Batcher[str, list[str]] = Batcher(self._split, name=f"sentences {model}", max_items=512)

    def _split(self, texts: list[str]) -> list[list[str]]:
        split = self._pipeline.pipe(texts, batch_size=len(texts))
        return [[sentence.text_with_ws for sentence in document.sents] for document in split]


async def split_sentences(texts: Sequence[str]) -> Sentences:
    """Sentences of each text."""
    model = installed_model()
    splitter = await load_once(("sentences", model), lambda: _Splitter(model))
    results = await splitter.batcher.many(texts, [1 + len(text.split()) for text in texts])
    return Sentences([result.value for result in results], sum(result.seconds for result in results))
