"""Pruning a passage by its sentences, the pure part of Provence: blocks that fit an encoder, and what is kept."""

import string
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from bridgebench.document import Document

Rounding = Literal["decision", "probability"]


@dataclass(frozen=True)
class Passage:
    """A passage as tokens.

    Attributes:
        sentences: Its title, where it has one, and its sentences, each with the white space that follows.
        tokens: Ids of all sentences' tokens.
        lengths: Number of tokens of each sentence.
    """

    sentences: list[str]
    tokens: list[int]
    lengths: list[int]


def split_blocks(lengths: Sequence[int], capacity: int) -> list[slice]:
    """Slices of a passage's tokens, each at most `capacity` long: whole sentences where they fit; at least one slice.

    Args:
        lengths: Tokens of each sentence.
        capacity: Tokens that fit beside the question.
    """
    blocks, start, end = [], 0, 0
    for length in lengths:
        if end > start and end + length - start > capacity:
            blocks.append(slice(start, end))
            start = end
        end += length
        while end - start > capacity:
            blocks.append(slice(start, start + capacity))
            start += capacity
    return [*blocks, slice(start, end)]


def select_sentences(
    probabilities: Sequence[float], lengths: Sequence[int], threshold: float, rounding: Rounding, force_first: bool
) -> list[bool]:
    """Which sentences are kept: those whose tokens' mean is above the threshold.

    Args:
        probabilities: Probability of keeping each token.
        lengths: Tokens of each sentence.
        threshold: Of the mean, and for `decision` of each token too.
        rounding: The mean of tokens' decisions (0 or 1), or of their probabilities.
        force_first: Keep the first sentence, the title, with any other.
    """
    kept, start = [], 0
    for length in lengths:
        values = probabilities[start : start + length]
        if rounding == "decision":
            values = [float(value > threshold) for value in values]
        kept.append(bool(values) and sum(values) / length > threshold)
        start += length
    return [True, *kept[1:]] if force_first and any(kept) else kept


def normalise_question(question: str) -> str:
    """Lower case, without ASCII punctuation, single spaces: what Provence was trained on."""
    return " ".join(question.lower().translate(str.maketrans("", "", string.punctuation)).split())


def pruned(document: Document, sentences: Sequence[str], kept: Sequence[bool], has_title: bool) -> Document | None:
    """The document with the sentences that are kept; None when there are none.

    Args:
        document: As given.
        sentences: Of its text, each with the white space that follows; the first is the title when `has_title`.
        kept: One decision a sentence.
        has_title: Whether the title was read; a title that was not is kept with the text.
    """
    if not any(kept):
        return None
    text = "".join(sentence for sentence, keep in list(zip(sentences, kept, strict=True))[has_title:] if keep)
    return replace(document, title="" if has_title and not kept[0] else document.title, text=text.strip())
