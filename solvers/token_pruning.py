"""Pruning words by a classifier of tokens, the pure part of LLMLingua-2 (Pan et al. 2024, arXiv 2403.12968)."""

import re
import string
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy

TokenToWord = Literal["mean", "first"]


@dataclass(frozen=True)
class Word:
    """A word of a text.

    Attributes:
        tokens: As the tokenizer writes them.
        probability: Of keeping it.
    """

    tokens: tuple[str, ...]
    probability: float

    @property
    def text(self) -> str:
        """As the tokenizer writes a word in one piece."""
        return self.tokens[0] + "".join(token.removeprefix("##") for token in self.tokens[1:])


def split_chunks(tokens: Sequence[str], size: int, ends: Collection[str]) -> list[slice]:
    """Chunks of at most `size` tokens, each as long as possible, ending after one of `ends` where it holds one."""
    chunks, start = [], 0
    while len(tokens) - start > size:
        stops = (index for index in range(start + size - 1, start - 1, -1) if tokens[index] in ends)
        end = next(stops, start + size - 1) + 1
        chunks.append(slice(start, end))
        start = end
    return [*chunks, slice(start, len(tokens))] if start < len(tokens) else chunks


def merge_words(
    tokens: Sequence[str],
    probabilities: Sequence[float],
    *,
    wordpiece: bool,
    how: TokenToWord = "mean",
    force_tokens: Collection[str] = (),
    force_digits: bool = False,
) -> list[Word]:
    """Words of a chunk with the probability of keeping each.

    Args:
        tokens: Without special tokens.
        probabilities: Of keeping each token.
        wordpiece: Whether the tokenizer marks what continues a word (``##``), as BERT's, or what begins one, as
            SentencePiece's; there, punctuation is a word of its own.
        how: A word's probability is the mean of its tokens', or the first's.
        force_tokens: Kept always.
        force_digits: Whether tokens with a digit are kept always.
    """
    words: list[tuple[list[str], list[float]]] = []
    for token, probability in zip(tokens, probabilities, strict=True):
        bare = token.removeprefix("##" if wordpiece else "▁")
        forced = bare in force_tokens
        if wordpiece:
            begins = forced or not token.startswith("##")
        else:
            begins = token.startswith("▁") or token in string.punctuation or token in force_tokens
        if not words or begins:
            words.append(([], []))
        words[-1][0].append(token)
        keep_always = (forced and begins) or (force_digits and re.search(r"\d", token))
        words[-1][1].append(1.0 if keep_always else probability)
    return [Word(tuple(parts), sum(values) / len(values) if how == "mean" else values[0]) for parts, values in words]


def keep_words(
    words: Sequence[Word], rate: float, force_tokens: Collection[str] = (), drop_consecutive: bool = False
) -> list[Word]:
    """The words above the percentile that leaves a share `rate` of a chunk's tokens.

    Args:
        words: Of one chunk; each counts as often as it has tokens.
        rate: Share of tokens to keep, below 1.
        force_tokens: As in `merge_words`.
        drop_consecutive: Whether of a forced token that follows itself, nothing but dropped words between, one is kept.
    """
    if not words:
        return []
    probabilities = [word.probability for word in words for _ in word.tokens]
    threshold = float(numpy.percentile(probabilities, int(100 * (1 - rate) + 1)))
    kept: list[Word] = []
    for word in words:
        if not (word.probability > threshold or word.probability == threshold == 1.0):
            continue
        forced = word.text.removeprefix("▁") in force_tokens
        if drop_consecutive and forced and kept and kept[-1].text == word.text:
            continue
        kept.append(word)
    return kept
