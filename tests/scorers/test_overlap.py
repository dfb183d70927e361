"""ROUGE-L and BLEU by hand-computed cases, and MS MARCO's rule for unanswerable questions."""

import math

import pytest
from inspect_ai.dataset import Sample

from bridgebench.errors import BridgebenchError

pytest.importorskip("rouge_score", reason="the extra 'metrics' is not installed")
pytest.importorskip("sacrebleu", reason="the extra 'metrics' is not installed")

from bridgebench.scorers.overlap import corpus_bleu, rouge_l, sentence_bleu  # noqa: E402
from bridgebench.scorers.rouge_bleu import rouge_bleu  # noqa: E402


def test_rouge_l_takes_the_best_precision_and_the_best_recall() -> None:
    # P: 2/3 with the first, 1/3 with the second; R: 2/4 with the first, 1/1 with the second.
    precision, recall, b = 2 / 3, 1.0, 1.2
    expected = (1 + b**2) * precision * recall / (recall + b**2 * precision)
    assert rouge_l("the old river", ["the river runs east", "old"]) == pytest.approx(expected)
    assert rouge_l("sea", ["river"]) == rouge_l("", ["river"]) == 0.0


def test_corpus_bleu_by_hand() -> None:
    # 8 words; all are met; 6 bigrams, of which "river east" and "east runs" are not met.
    figures = corpus_bleu(
        ["the river east runs", "a lake lies there"], [["the river runs east"], ["a lake lies there"]]
    )
    assert figures["bleu_1"] == pytest.approx(1.0)
    assert figures["bleu_2"] == pytest.approx(math.sqrt(1.0 * 4 / 6))
    assert set(figures) == {"bleu_1", "bleu_2", "bleu_3", "bleu_4"}


def test_corpus_bleu_is_brief_against_the_closest_reference() -> None:
    # 2 words against references of 3 and 6: closest 3.
    figures = corpus_bleu(["old river"], [["the old river", "the old river runs far east"]])
    assert figures["bleu_1"] == pytest.approx(math.exp(1 - 3 / 2))
    assert figures["bleu_4"] == 0.0


def test_sentence_bleu_of_a_short_answer_uses_the_orders_it_has() -> None:
    assert sentence_bleu("Lake Orin", ["lake orin"]) == pytest.approx(1.0)
    assert sentence_bleu("", ["lake orin"]) == 0.0


def test_missing_references_are_errors() -> None:
    with pytest.raises(BridgebenchError, match="reference"):
        corpus_bleu(["x"], [[]])
    with pytest.raises(BridgebenchError, match="reference"):
        rouge_l("x", [])


def test_scorer_leaves_unanswerable_questions_out(run_scorer, figures) -> None:
    samples = [
        Sample(id="a", input="?", target=["the river runs east"]),
        Sample(id="b", input="?", target=["a lake lies there", "a lake"]),
        Sample(id="none", input="?", target=["No Answer Present."]),
    ]
    answers = {"a": "the river east runs", "b": "a lake lies there", "none": "the sea"}
    log = run_scorer(rouge_bleu(), samples, answers)
    assert log.status == "success"
    rouge = next(score for score in log.results.scores if score.name == "rouge_l")
    assert (rouge.scored_samples, rouge.unscored_samples) == (2, 1)
    assert rouge.metrics["mean"].value == pytest.approx((rouge_l(answers["a"], ["the river runs east"]) + 1) / 2)
    corpus = {name: m.value for score in log.results.scores for name, m in score.metrics.items() if "bleu_" in name}
    assert corpus["bridgebench/bleu_bleu_2"] == pytest.approx(math.sqrt(4 / 6))
    reasons = {sample.id: sample.scores["rouge_bleu"].reason for sample in log.samples}
    assert reasons == {"a": None, "b": None, "none": "unanswerable"}


def test_corpus_bleu_is_over_every_epoch(run_scorer) -> None:
    samples = [Sample(id="a", input="?", target=["the river runs east"])]
    log = run_scorer(rouge_bleu(), samples, {"a": ["the river runs east", "a lake lies there"]}, epochs=2)
    corpus = {name: m.value for score in log.results.scores for name, m in score.metrics.items() if "bleu_" in name}
    assert corpus["bridgebench/bleu_bleu_1"] == pytest.approx(0.5)
