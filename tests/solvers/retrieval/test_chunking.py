"""Chunks: sizes, overlaps, nothing lost, and structure kept."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from bridgebench.solvers.retrieval.chunking import Unit, fixed_chunks, length, recursive_chunks, semantic_chunks

TEXT = st.lists(st.sampled_from(["a", "bc", "é", " ", "\n", "\n\n", "."]), max_size=60).map("".join)
UNITS: tuple[Unit, ...] = ("words", "characters")


def test_fixed_by_hand() -> None:
    text = "one two  three\nfour five"
    assert fixed_chunks(text, 2, 0, "words") == ["one two", "three\nfour", "five"]
    assert fixed_chunks(text, 3, 1, "words") == ["one two  three", "three\nfour five"]
    assert fixed_chunks("abcdefgh", 4, 1, "characters") == ["abcd", "defg", "gh"]
    assert fixed_chunks("abcd", 4, 3, "characters") == ["abcd"], "no chunk that the one before it holds"
    assert fixed_chunks(" \n ", 3, 1, "words") == fixed_chunks(" \n ", 3, 1, "characters") == []


@given(text=TEXT, size=st.integers(1, 9), unit=st.sampled_from(UNITS))
def test_chunks_are_no_larger_and_lose_no_word(text: str, size: int, unit: Unit) -> None:
    for cut in (fixed_chunks, recursive_chunks):
        chunks = cut(text, size, 0, unit)
        assert all(chunk == chunk.strip() != "" for chunk in chunks)
        assert "".join("".join(chunks).split()) == "".join(text.split())
        assert all(length(chunk, unit) <= size for chunk in chunks) or (cut is recursive_chunks and unit == "words")


def test_recursive_by_hand() -> None:
    text = "First paragraph.\n\nSecond one, longer than a chunk is.\nA line.\n\nLast."
    assert recursive_chunks(text, 24, 0, "characters") == [
        "First paragraph.",
        "Second one, longer than",
        "a chunk is.",
        "A line.",
        "Last.",
    ]
    assert recursive_chunks("a b c d e f", 3, 1, "words") == ["a b c", "c d e", "e f"]


def test_semantic_parts_where_neighbours_differ_most() -> None:
    sentences = ["Cats purr. ", "Cats sleep. ", "Trains run. ", "Trains stop."]
    vectors = np.array([[1, 0], [0.9, 0.436], [0, 1], [0.1, 0.995]], dtype=np.float32)
    assert semantic_chunks(sentences, vectors, 90, 100, "words") == [
        "Cats purr. Cats sleep.",
        "Trains run. Trains stop.",
    ]
    assert semantic_chunks(sentences, vectors, 100, 100, "words") == ["".join(sentences)]
    assert semantic_chunks(sentences, vectors, 100, 4, "words") == [
        "Cats purr. Cats sleep.",
        "Trains run. Trains stop.",
    ], "no longer than its size"
    assert semantic_chunks(sentences[:1], vectors[:1], 95, 100, "words") == ["Cats purr."]
    assert semantic_chunks([], np.zeros((0, 2), dtype=np.float32), 95, 100, "words") == []
