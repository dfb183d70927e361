"""Hit rate and reciprocal rank by exact id."""

import pytest
from inspect_ai.dataset import Sample

from bridgebench.errors import BridgebenchError
from bridgebench.scorers.ranking import ranking, ranking_scores


def test_figures_by_hand() -> None:
    figures = ranking_scores(["p1", "p2", "p3", "p4", "p5"], {"p4", "p5"})
    assert figures == {
        "mrr@10": 0.25,
        "mrr@5": 0.25,
        "mrr@3": 0.0,
        "mrr@1": 0.0,
        "hit@1": 0.0,
        "hit@3": 0.0,
        "hit@5": 1.0,
        "hit@10": 1.0,
    }
    assert next(iter(figures)) == "mrr@10"


def test_ids_match_exactly_and_a_miss_is_zero() -> None:
    assert set(ranking_scores(["1706.03762v5", "x"], {"1706.03762"}).values()) == {0.0}
    assert set(ranking_scores([], {"p1"}).values()) == {0.0}
    assert set(ranking_scores(["p1"], {"p1"}).values()) == {1.0}


def test_a_relevant_id_beyond_ten_is_a_miss() -> None:
    assert set(ranking_scores([f"p{i}" for i in range(20)], {"p10"}).values()) == {0.0}
    assert ranking_scores([f"p{i}" for i in range(20)], {"p9"})["mrr@10"] == pytest.approx(0.1)


@pytest.mark.parametrize(("ranked", "relevant", "says"), [(["a", "a"], {"a"}, "twice"), (["a"], set(), "no relevant")])
def test_errors(ranked, relevant, says) -> None:
    with pytest.raises(BridgebenchError, match=says):
        ranking_scores(ranked, relevant)


def test_scorer_reads_the_store(run_scorer, figures) -> None:
    rankings = {"first": ["p1", "p2"], "second": ["p2", "p1"], "none": []}
    samples = [Sample(id=id, input="?", target="p1") for id in [*rankings, "never"]]
    log = run_scorer(ranking(), samples, {}, rankings=rankings)
    scores = figures(log)
    assert scores["mrr@10"].metrics["mean"].value == pytest.approx((1 + 0.5 + 0) / 3)
    assert scores["hit@1"].metrics["mean"].value == pytest.approx(1 / 3)
    assert (scores["hit@1"].scored_samples, scores["hit@1"].unscored_samples) == (3, 1)
    assert {s.scores["ranking"].reason for s in log.samples} == {None, "no_ranking"}
