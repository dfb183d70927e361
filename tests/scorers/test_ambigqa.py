"""AmbigQA: the short-answer figures of RAG papers, and the official set-F1 under its own name."""

import math

import pytest
from inspect_ai.dataset import Sample

from bridgebench.errors import BridgebenchError
from bridgebench.scorers.ambigqa_f1 import ambigqa_f1 as ambigqa_scorer
from bridgebench.scorers.ambigqa_metrics import ambigqa_f1, answer_groups, is_multi, set_f1
from bridgebench.scorers.qa_metrics import qa_scores

SINGLE = {"type": "singleAnswer", "answer": ["Orin", "Lake Orin"]}
MULTI = {
    "type": "multipleQAs",
    "qaPairs": [
        {"question": "In 1702?", "answer": ["Orin"]},
        {"question": "In 1810?", "answer": ["Vessa", "L. Vessa"]},
    ],
}


@pytest.mark.parametrize(
    ("groups", "predictions", "expected"),
    [
        ([["Ada Venn", "Venn"]], ["venn"], 1.0),
        ([["1702"], ["1810"]], ["1702", "1810"], 1.0),
        ([["1702"], ["1810"]], ["1702"], 2 / 3),
        ([["a1"], ["b1"], ["c1"]], ["b1", "x"], 0.4),
        ([["x", "y"]], ["x", "y"], 2 / 3),
        ([["No"]], ["no"], 1.0),
        ([["Orin"], ["orin"]], ["Orin"], 2 / 3),
        ([["1702"]], ["1702 and 1810"], 0.0),
    ],
)
def test_set_f1(groups, predictions, expected) -> None:
    assert set_f1(groups, predictions) == pytest.approx(expected)


def test_best_annotation_counts_not_all_of_them() -> None:
    assert ambigqa_f1([MULTI, SINGLE], ["orin"]) == 1.0
    assert ambigqa_f1([MULTI], ["orin"]) == pytest.approx(2 / 3)
    assert (is_multi([MULTI, MULTI]), is_multi([MULTI, SINGLE])) == (True, False)


@pytest.mark.parametrize(
    "annotation",
    [
        {"type": "single_answer", "answer": ["x"]},
        {"type": "singleAnswer"},
        {"type": "singleAnswer", "answer": "x"},
        {"type": "singleAnswer", "answer": []},
        {"type": "multipleQAs", "qaPairs": []},
        {"type": "multipleQAs", "qaPairs": [None]},
        {"type": "multipleQAs", "qaPairs": [{"question": "?"}]},
        {"type": ["multipleQAs"], "answer": [["x"]], "qaPairs": []},
    ],
)
def test_other_shapes_are_refused(annotation) -> None:
    with pytest.raises(BridgebenchError, match="annotation"):
        answer_groups(annotation)


@pytest.mark.parametrize(("groups", "predictions"), [([], ["x"]), ([["x"]], [])])
def test_nothing_to_compare_is_an_error(groups, predictions) -> None:
    with pytest.raises(BridgebenchError, match="at least one"):
        set_f1(groups, predictions)


def test_short_answer_figures_pool_all_annotations() -> None:
    pool = ["Orin", "Lake Orin", "Vessa", "L. Vessa"]
    assert qa_scores("ambigqa", "vessa", pool) == {"f1": 1.0, "em": 1.0}
    assert qa_scores("ambigqa", "no", ["no", "none"]) == {"f1": 1.0, "em": 1.0}
    assert qa_scores("ambigqa", "no lake", ["no"]) == {"f1": 0.0, "em": 0.0}


def test_scorer_reports_all_and_multi_only(run_scorer, figures) -> None:
    samples = [
        Sample(id="mixed", input="?", target="Orin", metadata={"annotations": [MULTI, SINGLE]}),
        Sample(id="multi", input="?", target="Orin", metadata={"annotations": [MULTI]}),
    ]
    log = run_scorer(ambigqa_scorer(), samples, {"mixed": "Orin", "multi": "Orin"})
    scores = figures(log)
    assert scores["ambigqa_f1"].metrics["mean"].value == pytest.approx((1 + 2 / 3) / 2)
    multi = scores["ambigqa_f1_multi"]
    assert multi.metrics["mean"].value == pytest.approx(2 / 3)
    assert (multi.scored_samples, multi.unscored_samples) == (1, 1)
    assert not math.isnan(multi.metrics["stderr"].value)
    assert {sample.id: sample.scores["ambigqa_f1"].reason for sample in log.samples} == {
        "mixed": "not_multi",
        "multi": None,
    }


def test_missing_annotations_name_the_sample(run_scorer) -> None:
    log = run_scorer(ambigqa_scorer(), [Sample(id="a", input="?", target="Orin")], {"a": "Orin"})
    assert log.status == "error"
    assert "sample 'a'" in log.error.message
