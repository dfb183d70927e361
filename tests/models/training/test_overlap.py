"""Training questions that a benchmark asks."""

import pytest

from bridgebench.errors import BridgebenchError
from bridgebench.models.training.overlap import Asked, overlap, overlap_report

TRAINING = {
    "1": "Who wrote the novel The Long Winter?",
    "2": "in which town of the far north was the painter ida marsh born",
    "3": "what is a fjord",
}


def test_equal_after_normalisation_and_similar_by_eight_words() -> None:
    asked = [
        "who wrote novel Long Winter",
        "In which town of the far north was the painter Ida Marsh buried?",
        "What is a ford?",
    ]
    found = overlap(TRAINING, asked)
    assert (found["questions"], found["equal"], found["similar"]) == (3, ["1"], ["2"])
    assert (found["equal_count"], found["similar_count"]) == (1, 1)


def test_seven_words_in_a_row_are_not_similar() -> None:
    assert overlap(TRAINING, ["town of the far north was painter ida hill born"])["similar"] == []


def test_a_benchmark_that_is_not_here_says_why(tmp_path: object) -> None:
    here = Asked(task="msmarco", args={"source": "world:size=3,seed=11", "split": "train"})
    gone = Asked(task="hotpotqa", args={"source": f"{tmp_path}/nothing.jsonl"})
    report = overlap_report({"1": "in which town did brydezin taurnuzemar die?"}, [here, gone])
    assert report[here.name]["equal"] == ["1"]
    assert here.name == "msmarco source=world:size=3,seed=11 split=train"
    assert "no such file" in report[gone.name]["not_checked"]


def test_an_unknown_benchmark_is_an_error() -> None:
    with pytest.raises(LookupError):
        overlap_report(TRAINING, [Asked(task="hotpot")])
    with pytest.raises(BridgebenchError, match="sauce"):
        Asked(task="hotpotqa", args={"sauce": "sample"}).questions()
