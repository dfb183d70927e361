"""Every question has one place in the ledger."""

from itertools import product

import pytest

from bridgebench.scorers.failure import OUTCOMES, Evidence, ledger, outcome

NAN = float("nan")


@pytest.mark.parametrize(
    ("retrieved", "in_context", "right", "closed_book", "expected"),
    [
        (1, 1, True, None, "right_with_answer"),
        (1, 1, True, False, "right_with_answer"),
        (1, 1, True, True, "right_without_documents"),
        (1, 1, False, None, "generator_failed"),
        (1, 1, False, True, "generator_failed"),  # known alone, wrong with the documents
        (1, 0, False, None, "bridge_lost"),
        (1, 0, True, None, "right_not_stated"),
        (1, 0, True, True, "right_without_documents"),
        (0, 0, False, None, "retrieval_missed"),
        (0, 0, True, False, "right_not_stated"),
        (0, 1, True, None, "bridge_added"),
        (0, 1, False, False, "bridge_added"),
        (NAN, NAN, True, True, "unclassified"),
        (1, 1, None, True, "unclassified"),
    ],
)
def test_places(retrieved, in_context, right, closed_book, expected) -> None:
    assert outcome(Evidence(retrieved, in_context, right, closed_book)) == expected


def test_ledger_adds_up_and_keeps_the_order_of_the_bar() -> None:
    cases = [Evidence(*case) for case in product((0, 1, NAN), (0, 1, NAN), (True, False, None), (True, False, None))]
    counts = ledger(cases)
    assert tuple(counts) == OUTCOMES
    assert sum(counts.values()) == len(cases)
    assert all(counts.values())  # every outcome can happen
    assert ledger([]) == dict.fromkeys(OUTCOMES, 0)
