"""Cutting a text into chunks: by size, by structure, by meaning. Pure functions over strings."""

import re
from collections.abc import Callable, Sequence
from typing import Literal

import numpy as np
from numpy.typing import NDArray

Unit = Literal["words", "characters"]
"""What sizes are in: white-space separated words, or Unicode characters."""

SEPARATORS = ("\n\n", "\n", " ", "")
"""Paragraphs, lines, words, characters: where `recursive_chunks` cuts, the first that will do."""

_WORD = re.compile(r"\S+")


def length(text: str, unit: Unit) -> int:
    """Size of a text."""
    return len(text) if unit == "characters" else len(text.split())


def fixed_chunks(text: str, size: int, overlap: int, unit: Unit) -> list[str]:
    """Chunks of equal size, each beginning `overlap` before the last one ended; the last may be shorter.

    Args:
        text: Verbatim in the chunks, but for white space around them.
        size: Of a chunk.
        overlap: Less than `size`.
        unit: Of both.
    """
    if unit == "words":
        spans = [match.span() for match in _WORD.finditer(text)]
    else:
        spans = [(position, position + 1) for position in range(len(text))]
    chunks = []
    for start in range(0, len(spans), size - overlap):
        last = min(start + size, len(spans)) - 1
        chunks.append(text[spans[start][0] : spans[last][1]].strip())
        if last == len(spans) - 1:
            break
    return [chunk for chunk in chunks if chunk]


def recursive_chunks(text: str, size: int, overlap: int, unit: Unit) -> list[str]:
    """Chunks that end where the text's structure does: the method of LangChain's ``RecursiveCharacterTextSplitter``.

    The text is cut at the first of `SEPARATORS` that it holds, each piece keeping the separator before it. Neighbours
    are joined while they fit into `size`; a chunk begins with those last pieces of the one before it that fit into
    `overlap`. A piece that is larger than a chunk is cut the same way at the next separator.

    Args:
        text: In the chunks verbatim, but for white space around them.
        size: Most of a chunk; a single word longer than that stays whole where sizes are in words.
        overlap: Most that two chunks share.
        unit: Of both.
    """
    return _recursive(text, SEPARATORS, size, overlap, lambda piece: length(piece, unit))


def _recursive(
    text: str, separators: Sequence[str], size: int, overlap: int, measure: Callable[[str], int]
) -> list[str]:
    position = next((i for i, separator in enumerate(separators) if separator in text), len(separators) - 1)
    finer = separators[position + 1 :]
    chunks: list[str] = []
    fitting: list[str] = []
    for piece in _pieces(text, separators[position]):
        if measure(piece) < size:
            fitting.append(piece)
            continue
        chunks += _joined(fitting, size, overlap, measure)
        fitting = []
        chunks += _recursive(piece, finer, size, overlap, measure) if finer else [piece.strip()]
    return [chunk for chunk in chunks + _joined(fitting, size, overlap, measure) if chunk]


def _pieces(text: str, separator: str) -> list[str]:
    """The text cut before each separator; joined, they are the text."""
    if not separator:
        return list(text)
    first, *others = text.split(separator)
    return [piece for piece in (first, *(separator + other for other in others)) if piece]


def _joined(pieces: Sequence[str], size: int, overlap: int, measure: Callable[[str], int]) -> list[str]:
    """Neighbouring pieces joined into chunks."""
    sizes = [measure(piece) for piece in pieces]
    chunks, first, total = [], 0, 0
    for position, piece_size in enumerate(sizes):
        if position > first and total + piece_size > size:
            chunks.append("".join(pieces[first:position]).strip())
            while first < position and (total > overlap or total + piece_size > size):
                total -= sizes[first]
                first += 1
        total += piece_size
    return [*chunks, "".join(pieces[first:]).strip()]


def semantic_chunks(
    sentences: Sequence[str], vectors: NDArray[np.float32], percentile: float, size: int, unit: Unit
) -> list[str]:
    """Runs of sentences, parted where neighbours are far apart in meaning.

    Args:
        sentences: Of one text, each with the white space after it.
        vectors: Of the sentences, of length 1; shape (sentences, dimensions).
        percentile: Neighbours are parted whose cosine distance is above this percentile of the text's distances.
        size: Most of a chunk: a longer run is parted too; a single longer sentence stays whole.
        unit: Of `size`.
    """
    distances = 1 - np.einsum("id,id->i", vectors[:-1], vectors[1:])
    threshold = np.percentile(distances, percentile) if len(distances) else 0.0
    chunks: list[str] = []
    run, run_size = "", 0
    for position, sentence in enumerate(sentences):
        sentence_size = length(sentence, unit)
        if run and (distances[position - 1] > threshold or run_size + sentence_size > size):
            chunks.append(run)
            run, run_size = "", 0
        run, run_size = run + sentence, run_size + sentence_size
    return [chunk.strip() for chunk in [*chunks, run] if chunk.strip()]
