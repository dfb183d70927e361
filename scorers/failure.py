"""Why a question came out right or wrong: a ledger from what the context held and what was answered."""

import math
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal, get_args

Outcome = Literal[
    "right_with_answer",
    "right_without_documents",
    "right_not_stated",
    "bridge_added",
    "retrieval_missed",
    "bridge_lost",
    "generator_failed",
    "unclassified",
]
OUTCOMES: tuple[Outcome, ...] = get_args(Outcome)
"""In the order of a bar: right ones first."""


@dataclass(frozen=True)
class Evidence:
    """What is known of one question.

    Attributes:
        answer_retrieved: The `context` scorer's value: 1, 0, or nan where golds cannot be searched for.
        answer_in_context: The same for what the generator read.
        right: Whether the answer counts as right (say, exact match or the judge's accuracy is 1); None when
            the sample is unscored.
        right_without_documents: The same in a closed-book run of the same generator; None where there is none.
    """

    answer_retrieved: float
    answer_in_context: float
    right: bool | None
    right_without_documents: bool | None = None


def outcome(evidence: Evidence) -> Outcome:
    """The one entry of the ledger that a question belongs to.

    First match wins: ``unclassified`` (unscored, or golds that cannot be searched for: yes, no, very short, or
    "there is no answer");
    ``right_without_documents`` (right here and in the closed-book run: no credit to retrieval or bridge);
    ``bridge_added`` (the context states the answer, the retrieved documents do not, whatever was answered);
    then by what was at hand: in the context, ``right_with_answer`` or ``generator_failed``; not in it,
    ``right_not_stated`` (right without the answer in so many words: derived, or known), or wrong because
    ``bridge_lost`` it or ``retrieval_missed`` it.
    """
    if evidence.right is None or math.isnan(evidence.answer_retrieved) or math.isnan(evidence.answer_in_context):
        return "unclassified"
    if evidence.right and evidence.right_without_documents:
        return "right_without_documents"
    if evidence.answer_in_context and not evidence.answer_retrieved:
        return "bridge_added"
    if evidence.answer_in_context:
        return "right_with_answer" if evidence.right else "generator_failed"
    if evidence.right:
        return "right_not_stated"
    return "bridge_lost" if evidence.answer_retrieved else "retrieval_missed"


def ledger(questions: Iterable[Evidence]) -> dict[Outcome, int]:
    """Number of questions of each outcome, zeros included, in the order of `OUTCOMES`; they add up to all."""
    counts = Counter(map(outcome, questions))
    return {name: counts[name] for name in OUTCOMES}
