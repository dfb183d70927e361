"""The QA metrics through `evaluate`, from the package and without a network."""

import socket

import pytest

evaluate = pytest.importorskip("evaluate")

from bridgebench.errors import BridgebenchError  # noqa: E402
from bridgebench.scorers import evaluate_qa  # noqa: E402


@pytest.fixture(autouse=True)
def _no_network(monkeypatch) -> None:
    def refuse(*args, **kwargs):
        raise AssertionError("a network connection was attempted")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    monkeypatch.setattr(socket, "create_connection", refuse)


@pytest.mark.parametrize("load", [evaluate_qa.QaMetric, lambda name: evaluate.load(evaluate_qa.__file__, name)])
def test_same_figures_as_the_pure_functions(load) -> None:
    metric = load("hotpotqa")
    figures = metric.compute(predictions=["Orin", "Orin sea", "no"], references=[["x", "orin"], ["Orin"], ["no one"]])
    assert figures == pytest.approx({"f1": (1 + 2 / 3 + 0) / 3, "em": 1 / 3})
    assert load("musique").compute(predictions=["no"], references=[["no one"]])["f1"] == pytest.approx(2 / 3)


def test_errors_are_the_same() -> None:
    with pytest.raises(BridgebenchError, match="hotpotqa"):
        evaluate_qa.QaMetric("hotpot")
    with pytest.raises(BridgebenchError, match="acceptable"):
        evaluate_qa.QaMetric("musique").compute(predictions=["x"], references=[[]])
