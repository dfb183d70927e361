"""The card paper's measure never shares a name with F1, and says when it cannot be computed."""

import math

import pytest
from inspect_ai.dataset import Sample

from bridgebench.errors import BridgebenchError
from bridgebench.scorers.containment import any_of_3, containment, contains_all_words


@pytest.mark.parametrize(
    ("prediction", "gold", "expected"),
    [
        ("It flows from Lake Orin, I think", "lake orin", True),
        ("Orin is a lake", "The Lake Orin", True),
        ("Lake Vessa", "Lake Orin", False),
        ("anything", "the", False),
    ],
)
def test_words(prediction, gold, expected) -> None:
    assert contains_all_words(prediction, gold) is expected


def test_any_of_three() -> None:
    assert any_of_3(["no", "Lake Orin", "no"], "Orin")
    assert not any_of_3(["no", "Vessa", "no"], "Orin")
    with pytest.raises(BridgebenchError, match="exactly 3"):
        any_of_3(["Orin"], "Orin")


def measured(scores, name):
    (value,) = [score.metrics[name].value for score in scores if name in score.metrics]
    return value


def test_three_epochs_give_the_measure_beside_the_mean(run_scorer) -> None:
    samples = [Sample(id="a", input="?", target=["Orin", "Vessa"]), Sample(id="b", input="?", target="Vessa")]
    log = run_scorer(containment(), samples, {"a": ["sea", "Orin", "sea"], "b": ["sea", "sea", "sea"]}, epochs=3)
    assert log.status == "success"
    assert measured(log.results.scores, "bridgebench/any_of_3_word_containment") == pytest.approx(0.5)
    assert measured(log.results.scores, "mean") == pytest.approx(1 / 6)


def test_one_epoch_has_no_any_of_three(run_scorer) -> None:
    log = run_scorer(containment(), [Sample(id="a", input="?", target="Orin")], {"a": "Orin"})
    assert math.isnan(measured(log.results.scores, "bridgebench/any_of_3_word_containment"))
    assert measured(log.results.scores, "mean") == 1.0
