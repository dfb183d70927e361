"""Official rules, as worked cases; `tests/parity` compares with the scripts' own output."""

import pytest

from bridgebench.errors import BridgebenchError
from bridgebench.scorers.qa_metrics import (
    QA_METRICS,
    exact_match,
    f1,
    f1_closed_answers,
    f1_empty_answers,
    normalise_answer,
    qa_scores,
)

# (prediction, gold, F1 hotpotqa and twowiki, F1 musique, F1 longbench, EM)
CASES = [
    ("Yes.", "yes", 1, 1, 1, 1),
    ("yes", "no", 0, 0, 0, 0),
    ("Yes, both are rivers", "yes", 0, 0.4, 0.4, 0),
    ("No", "no one", 0, 2 / 3, 2 / 3, 0),
    ("noanswer", "NoAnswer", 1, 1, 1, 1),
    ("the", "A", 0, 1, 0, 1),
    ("", "", 0, 1, 0, 1),
    ("", "Velmora", 0, 0, 0, 0),
    ("Velmora", "the", 0, 0, 0, 0),
    ("3 June 1712", "June 3, 1712", 1, 1, 1, 0),
    ("Yes\nQuestion: who", "yes", 0, 0.5, 0.5, 0),
    ("Lake Orin Lake Orin", "Lake Orin", 2 / 3, 2 / 3, 2 / 3, 0),
    ("Orinʻa Lake", "Orina Lake", 0.5, 0.5, 0.5, 0),
    ("it’s", "it's", 0, 0, 0, 0),
    ("the the the answer", "answer", 1, 1, 1, 1),
    ("Salt 'n' Ember", "Salt n Ember", 1, 1, 1, 1),
    ("50 %", "50%", 1, 1, 1, 1),
    ("A.D. 70", "AD 70", 1, 1, 1, 1),
    ("a b", "b", 1, 1, 1, 1),
    ("group a", "group", 1, 1, 1, 1),
    ("$59,039", "59039", 1, 1, 1, 1),
    ("1.5 million", "15 million", 1, 1, 1, 1),
    ("1812–14", "1812-14", 0, 0, 0, 0),
    ("twenty-one", "twenty one", 0, 0, 0, 0),
    ("Belén", "Belen", 0, 0, 0, 0),
    ("Bele\u0301n", "Bel\u00e9n", 0, 0, 0, 0),
    ("Orin, Velmora", "Orin, Velmora, Tessaly", 0.8, 0.8, 0.8, 0),
]


@pytest.mark.parametrize(("prediction", "gold", "closed", "empty", "plain", "em"), CASES)
def test_rules(prediction: str, gold: str, closed: float, empty: float, plain: float, em: float) -> None:
    assert f1_closed_answers(prediction, gold) == pytest.approx(closed)
    assert f1_empty_answers(prediction, gold) == pytest.approx(empty)
    assert f1(prediction, gold) == pytest.approx(plain)
    assert exact_match(prediction, gold) == em
    assert qa_scores("twowiki", prediction, [gold]) == qa_scores("hotpotqa", prediction, [gold])


def test_punctuation_goes_before_articles() -> None:
    assert normalise_answer("a.b") == "ab"
    assert normalise_answer("The U.S.  of   A") == "us of"


def test_measures_are_maximised_independently() -> None:
    # EM is met by the second answer, but the best F1 of the first alone would be lower.
    scores = qa_scores("musique", "Lake Orin", ["Orin", "The Lake Orin"])
    assert scores == {"f1": 1.0, "em": 1.0}
    assert qa_scores("musique", "Orin lake", ["Lake Orin", "Orin"]) == {"f1": 1.0, "em": 0.0}


def test_headline_comes_first_and_longbench_has_no_em() -> None:
    headlines = {name: next(iter(measures)) for name, measures in QA_METRICS.items()}
    assert headlines.pop("dureader") == "rouge_l"
    assert set(headlines.values()) == {"f1"}
    assert set(qa_scores("longbench", "x", ["x"])) == {"f1"}


@pytest.mark.parametrize(("metric", "golds", "says"), [("hotpot", ["x"], "hotpotqa"), ("musique", [], "acceptable")])
def test_errors_say_what_is_wrong(metric: str, golds: list[str], says: str) -> None:
    with pytest.raises(BridgebenchError, match=says):
        qa_scores(metric, "x", golds)
