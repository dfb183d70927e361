"""Okapi BM25 by two libraries: rank-bm25 is the reference, bm25s keeps scores in a sparse matrix.

bm25s has no idf of rank-bm25's kind (a negative one becomes a quarter of the vocabulary's mean), so its scores are
scaled word by word after indexing. Both give equal rankings, ties included.
"""

import logging
import math
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, Literal, Protocol

import bm25s
import numpy as np
from numpy.typing import NDArray
from rank_bm25 import BM25Okapi

Engine = Literal["rank-bm25", "bm25s"]

logging.getLogger("bm25s").setLevel(logging.WARNING)  # it sets DEBUG, which Inspect's display then shows

EPSILON = 0.25
"""Share of the mean idf that a word has which more than half of the texts hold."""


class Lexical(Protocol):
    """An index of words."""

    def scores(self, asked: Sequence[str]) -> NDArray[np.float64]:
        """BM25 of each text with the words; ``-inf`` for one that holds none of them."""
        ...


class RankBm25:
    """The reference.

    Args:
        texts: Words of each text; at least one has some.
        k1: Saturation of term frequency.
        b: Weight of length normalisation.
    """

    def __init__(self, texts: Sequence[Sequence[str]], k1: float, b: float) -> None:
        self._bm25 = BM25Okapi(texts, k1=k1, b=b, epsilon=EPSILON)

    def scores(self, asked: Sequence[str]) -> NDArray[np.float64]:
        """See `Lexical`."""
        holding = np.fromiter((not counts.keys().isdisjoint(asked) for counts in self._bm25.doc_freqs), dtype=bool)
        return np.where(holding, self._bm25.get_scores(asked), -np.inf)


class SparseBm25:
    """The same scores from a matrix of words and texts; made by `index_words` or `read_index`."""

    def __init__(self, bm25: Any) -> None:
        self._bm25 = bm25
        self._starts, self._holders = bm25.scores["indptr"], bm25.scores["indices"]

    def scores(self, asked: Sequence[str]) -> NDArray[np.float64]:
        """See `Lexical`."""
        found = self._bm25.get_tokens_ids(asked)
        scores: NDArray[np.float64] = self._bm25.get_scores_from_ids(found)
        without = np.ones(len(scores), dtype=bool)
        for word in set(found):
            without[self._holders[self._starts[word] : self._starts[word + 1]]] = False
        scores[without] = -np.inf
        return scores

    def save(self, folder: Path) -> None:
        """Write it to a folder: arrays of numpy, and the vocabulary as JSON."""
        self._bm25.save(str(folder), show_progress=False)


def index_words(texts: Iterable[Iterable[str]], k1: float, b: float) -> SparseBm25:
    """A `SparseBm25` of texts, each read once; arguments as those of `RankBm25`.

    A million lists of words are several times the size of their texts: give a generator that makes them.
    """
    vocabulary: dict[str, int] = {}
    numbered = [[vocabulary.setdefault(word, len(vocabulary)) for word in text] for text in texts]
    bm25 = bm25s.BM25(k1=k1, b=b, method="atire", idf_method="lucene", dtype="float64")
    bm25.index((numbered, vocabulary), create_empty_token=False, show_progress=False)
    frequencies = np.diff(bm25.scores["indptr"])
    lucene = [math.log(1 + (len(numbered) - df + 0.5) / (df + 0.5)) for df in frequencies.tolist()]
    bm25.scores["data"] *= np.repeat(okapi_idf(frequencies, len(numbered)) / lucene, frequencies)
    return SparseBm25(bm25)


def read_index(folder: Path) -> SparseBm25:
    """What `SparseBm25.save` wrote."""
    return SparseBm25(bm25s.BM25.load(str(folder), load_corpus=False))


def okapi_idf(frequencies: NDArray[np.int64], texts: int) -> NDArray[np.float64]:
    """Inverse document frequency of each word, as rank-bm25's ``BM25Okapi`` has it.

    Args:
        frequencies: How many texts hold each word.
        texts: How many there are.
    """
    idf = np.array([math.log(texts - df + 0.5) - math.log(df + 0.5) for df in frequencies.tolist()])
    return np.where(idf < 0, EPSILON * idf.mean(), idf)
