"""Syntactic reranking, the pure part (arXiv 2506.13778, equations 3 to 10): no tagger, no documents, only lists.

A question is split at its prepositions and conjunctions. Of each word of each segment, the passages that hold it
most often are selected; the selected passages stay in their order.
"""

from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Literal, NamedTuple

Mode = Literal["equation", "reference"]


class Token(NamedTuple):
    """A token of a tagger.

    Attributes:
        text: With the white space that follows it, so that tokens join to the text.
        tag: Universal part of speech.
    """

    text: str
    tag: str


Tag = Callable[[list[str]], list[list[Token]]]
"""Tags a list of texts."""


def split_questions(
    questions: Sequence[str], tag: Tag, split_tags: Collection[str], recursive: bool = True
) -> list[list[str]]:
    """Segments of questions (equation 3); each round tags what is new of all questions together.

    Args:
        questions: As asked.
        tag: The tagger.
        split_tags: Tokens with one of these tags, or that are a colon, separate segments and are dropped.
        recursive: Tag the segments again, for tags change out of context, until no segment has a separator.

    Returns:
        The segments of each question in order, without white space around them, none empty.
    """
    segments = [[question] for question in questions]
    pieces: dict[str, list[str]] = {}
    while new := sorted({segment for found in segments for segment in found} - pieces.keys()):
        pieces |= {text: split_tokens(tokens, split_tags) for text, tokens in zip(new, tag(new), strict=True)}
        segments = [[piece for segment in found for piece in pieces[segment]] for found in segments]
        if not recursive:
            break
    return segments


def split_tokens(tokens: Sequence[Token], split_tags: Collection[str]) -> list[str]:
    """One pass of `split_questions` over a tagged text."""
    segments = [""]
    for token in tokens:
        if token.tag in split_tags or token.text.strip() == ":":
            segments.append("")
        else:
            segments[-1] += token.text
    return [segment.strip() for segment in segments if segment.strip()]


def top_passages(counts: Sequence[int], levels: int, mode: Mode) -> set[int]:
    """Passages that hold a word most often (equations 6 and 7), ties included.

    Args:
        counts: Count of the word in each passage.
        levels: L of the paper.
        mode: `equation` takes the passages with one of the L highest distinct counts; `reference`, as the authors'
            code, those with one of the counts of the first L passages by count (of 2, 2, 1 and L = 2: the two with 2).
    """
    positive = sorted((count for count in counts if count > 0), reverse=True)
    values = sorted(set(positive), reverse=True) if mode == "equation" else positive
    chosen = set(values[:levels])
    return {index for index, count in enumerate(counts) if count in chosen}


def select_passages(
    segments: Sequence[Sequence[str]],
    counts: Mapping[str, Sequence[int]],
    levels: int,
    mode: Mode = "equation",
    max_passages: int | None = None,
) -> list[int]:
    """Indices of the selected passages, ascending (equations 8 to 10).

    Args:
        segments: Words of each segment.
        counts: Count of each word in each passage; a word that is absent is ignored.
        levels: L of the paper.
        mode: See `top_passages`.
        max_passages: With a cap, segments are taken in reverse, as equation 9 has it, until it is reached.
    """
    selected: list[int] = []
    for segment in reversed(segments):
        chosen = set().union(*(top_passages(counts[word], levels, mode) for word in segment if word in counts))
        selected += sorted(chosen - set(selected))
    return sorted(selected[:max_passages])


def count_words(vocabulary: Collection[str], passages: Sequence[Sequence[str]]) -> dict[str, list[int]]:
    """Count of each word in each passage (equation 5), given the passages' words."""
    tables = [Counter(passage) for passage in passages]
    return {word: [table[word] for table in tables] for word in vocabulary}


def count_substrings(vocabulary: Collection[str], passages: Sequence[str]) -> dict[str, list[int]]:
    """The same by occurrence anywhere in the lower-cased passage, inside other words too."""
    lowered = [passage.lower() for passage in passages]
    return {word: [passage.count(word) for passage in lowered] for word in vocabulary}


def frequent_words(counts: Mapping[str, Sequence[int]], max_df: float) -> set[str]:
    """Words that more than a share `max_df` of the passages hold."""
    return {word for word, row in counts.items() if sum(count > 0 for count in row) > max_df * len(row)}
