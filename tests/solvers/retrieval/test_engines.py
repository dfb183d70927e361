"""Two engines of BM25: equal scores, equal rankings, ties included."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bridgebench.solvers.retrieval.bm25 import Bm25Index
from bridgebench.solvers.retrieval.engines import RankBm25, index_words, read_index
from bridgebench.solvers.retrieval.texts import Texts, gather

WORD = st.sampled_from(["a", "b", "c", "d", "e", "f"])  # few: many ties, and words that most texts hold
TEXTS = st.lists(st.lists(WORD, min_size=1, max_size=6), min_size=1, max_size=30)


def as_texts(texts: list[list[str]]) -> Texts:
    return gather((f"p{i}", [" ".join(text)]) for i, text in enumerate(texts))


@given(texts=TEXTS, asked=st.lists(st.sampled_from(["a", "b", "c", "d", "e", "f", "absent"]), min_size=1, max_size=5))
def test_both_rank_alike(texts: list[list[str]], asked: list[str]) -> None:
    reference, sparse = RankBm25(texts, 1.5, 0.75), index_words(texts, 1.5, 0.75)
    assert sparse.scores(asked) == pytest.approx(reference.scores(asked), abs=1e-9)
    whole = as_texts(texts)
    found = [Bm25Index(whole, engine, {}).find(" ".join(asked), 10) for engine in (reference, sparse)]
    assert found[0] == found[1]


def test_ties_go_by_the_order_of_the_corpus() -> None:
    texts = [["x", "y"], ["x", "z"], ["y", "x"], ["q"]]
    for engine in (RankBm25(texts, 1.5, 0.75), index_words(texts, 1.5, 0.75)):
        assert [match.paper for match in Bm25Index(as_texts(texts), engine, {}).find("x", 3)] == ["p0", "p1", "p2"]


def test_a_word_that_most_texts_hold_counts_little_and_not_against_them() -> None:
    texts = [["common", f"w{i}"] for i in range(9)] + [["other"]]
    for engine in (RankBm25(texts, 1.5, 0.75), index_words(texts, 1.5, 0.75)):
        scores = engine.scores(["common"])
        assert np.all(scores[:9] > 0)
        assert scores[9] == -np.inf


def test_parameters_reach_both() -> None:
    texts = [["a", "a", "b"], ["a", "c", "c", "c", "c"], ["d"], ["e"], ["f"], ["g"]]
    for k1, b in ((0.5, 0.0), (2.0, 1.0)):
        assert index_words(texts, k1, b).scores(["a"]) == pytest.approx(RankBm25(texts, k1, b).scores(["a"]))
    assert index_words(texts, 0.5, 0.0).scores(["a"])[1] != index_words(texts, 0.5, 1.0).scores(["a"])[1]


def test_it_is_the_same_from_disk(tmp_path: Path) -> None:
    texts = [["é", "a"], ["a", "b"], ["c"]]
    index = index_words(texts, 1.5, 0.75)
    index.save(tmp_path)
    assert not list(tmp_path.glob("*.pkl"))
    assert np.array_equal(read_index(tmp_path).scores(["é", "b", "zz"]), index.scores(["é", "b", "zz"]))
