"""How much of a query set the cards give away: queries that are the cards' own questions measure nothing."""

from collections.abc import Mapping, Sequence
from statistics import fmean, quantiles
from typing import Any

from bridgebench.cards import Card, Kind
from bridgebench.solvers._words import words
from bridgebench.solvers.cards.assemble import STOP_WORDS
from bridgebench.solvers.cards.formats import normalise

NEAR = 0.8
"""Token overlap from which two questions count as nearly equal."""


def token_overlap(first: str, second: str) -> float:
    """Jaccard similarity of the sets of words: shared words over all words, 0 to 1."""
    a, b = set(words(first)), set(words(second))
    return len(a & b) / len(a | b) if a | b else 0.0


def overlap_report(queries: Sequence[Mapping[str, Any]], cards: Mapping[str, Card]) -> dict[str, Any]:
    """Queries against the card questions of their own gold paper, and of any paper, in all and by kind.

    Returns:
        For each group: ``queries``, ``without_card`` (gold papers that have no card), the shares ``equal`` (word for
        word) and ``near_equal`` (`token_overlap` of at least `NEAR`) to a question of the gold card, ``equal_to_any``
        card's, ``from_title`` (mean share of a query's words, stop words excepted, that stand in its paper's title),
        and ``token_overlap``: of each query with the nearest question of its gold card, the mean and the quantiles 0 to
        100 %.
    """
    kinds: tuple[Kind, ...] = ("technical", "conceptual")
    groups = {"all": list(queries)} | {kind: [query for query in queries if query["kind"] == kind] for kind in kinds}
    asked = {normalise(question.text) for card in cards.values() for question in card.questions}
    return {name: _group(group, cards, asked) for name, group in groups.items() if group}


def _group(queries: Sequence[Mapping[str, Any]], cards: Mapping[str, Card], asked: set[str]) -> dict[str, Any]:
    equal, nearest, from_title = 0, [], []
    for query in queries:
        said = set(words(query["question"])) - STOP_WORDS
        title = cards[query["paper_id"]].title if query["paper_id"] in cards else ""
        from_title.append(len(said & set(words(title))) / max(1, len(said)))
        own = cards[query["paper_id"]].questions if query["paper_id"] in cards else ()
        equal += normalise(query["question"]) in {normalise(question.text) for question in own}
        nearest.append(max((token_overlap(query["question"], question.text) for question in own), default=0.0))
    return {
        "queries": len(queries),
        "without_card": sum(query["paper_id"] not in cards for query in queries),
        "equal": equal / len(queries),
        "near_equal": sum(value >= NEAR for value in nearest) / len(queries),
        "equal_to_any": sum(normalise(query["question"]) in asked for query in queries) / len(queries),
        "from_title": round(fmean(from_title), 4),
        "token_overlap": {"mean": round(fmean(nearest), 4), **_quantiles(nearest)},
    }


def _quantiles(values: Sequence[float]) -> dict[str, float]:
    cuts = quantiles(values, n=4, method="inclusive") if len(values) > 1 else [values[0]] * 3
    points = [min(values), *cuts, max(values)]
    return {name: round(value, 4) for name, value in zip(("min", "25%", "50%", "75%", "max"), points, strict=True)}
