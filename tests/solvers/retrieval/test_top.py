"""The best papers: as a stable sort of all rounded scores would have it."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bridgebench.errors import BridgebenchError
from bridgebench.solvers.retrieval.texts import gather
from bridgebench.solvers.retrieval.top import paper_scores, top

SCORE = st.one_of(st.floats(-2, 2, width=32), st.just(-np.inf), st.sampled_from([0.12344, 0.12346, 0.12354, 0.5]))


@given(scores=st.lists(SCORE, min_size=1, max_size=40), depth=st.integers(1, 12))
def test_it_is_a_stable_sort_of_rounded_scores(scores: list[float], depth: int) -> None:
    finite = [position for position, score in enumerate(scores) if score > -np.inf]
    expected = sorted(finite, key=lambda position: -np.round(scores[position], 4))[:depth]
    assert top(np.array(scores), depth, 4) == expected


def test_a_paper_is_as_good_as_its_best_text() -> None:
    texts = gather([("a", ["x", "y"]), ("b", [" "]), ("c", ["z"]), ("d", ["u", "v", "w"])])
    assert (texts.papers, texts.owners, texts.without) == (("a", "c", "d"), (0, 0, 1, 2, 2, 2), 1)
    assert [list(texts.of(paper)) for paper in range(3)] == [[0, 1], [2], [3, 4, 5]]
    scores = np.array([[1.0, 3, 2, 0, 5, 4], [9, 8, 7, 6, 5, 4]])
    assert paper_scores(scores, texts.starts).tolist() == [[3, 2, 5], [9, 7, 6]]


def test_nothing_to_index_is_an_error() -> None:
    with pytest.raises(BridgebenchError, match="none of the corpus's 2 papers"):
        gather([("a", []), ("b", ["  "])])
