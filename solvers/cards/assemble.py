"""From what a model wrote to a card, and to queries that share nothing with it."""

import re
from collections.abc import Sequence
from typing import Any

from bridgebench.cards import Card, CardQuestion
from bridgebench.solvers._words import words
from bridgebench.solvers.cards.formats import normalise
from bridgebench.solvers.cards.logs import WrittenPaper, WrittenRun

_STOP_WORDS = """
    a about after all also an and any are as at be been before between but by can could did do does for from had has
    have how if in into is it its may more most much not of off on one or other our out over should so some such than
    that the their them then there these they this those through to under up used using was we were what when where
    which while who whom whose why will with within without would you your
"""
STOP_WORDS = frozenset(_STOP_WORDS.split())
"""Words of a title that say nothing about its paper."""


def assemble(paper: WrittenPaper) -> tuple[Card | None, int]:
    """The card of a paper, and how many of its questions were asked twice and are dropped.

    Returns:
        No card when the model wrote nothing usable. A summary alone, or questions alone, make a card: what it lacks is
        among the run's failures.
    """
    if paper.parts is None:
        return None, 0
    asked = [CardQuestion(**question) for question in paper.parts.questions]
    questions = tuple({normalise(question.text): question for question in reversed(asked)}.values())[::-1]
    summary = paper.parts.summary
    if not questions and not summary:
        return None, 0
    card = Card(
        paper_id=paper.id,
        title=paper.title,
        questions=_in_turn(questions),
        problem=summary.get("problem", ""),
        methods=summary.get("methods", ""),
        results=summary.get("results", ""),
        keywords=tuple(summary.get("keywords", ())),
    )
    return card, len(asked) - len(questions)


def _in_turn(questions: Sequence[CardQuestion]) -> tuple[CardQuestion, ...]:
    """Conceptual and technical ones in turn, so that a card that is trimmed from its end keeps both."""
    places = {"conceptual": 0, "technical": 0}
    order = []
    for question in questions:
        order.append((places[question.kind], question.kind))
        places[question.kind] += 1
    return tuple(question for _, question in sorted(zip(order, questions, strict=True), key=lambda pair: pair[0]))


def make_queries(run: WrittenRun) -> tuple[list[dict[str, Any]], dict[str, int]]:
    """The queries of a run, and how many were left out and why.

    A conceptual query loses the words of its paper's title, and is left out when fewer than three words with a meaning
    remain. A question asked of two papers has no one gold paper, and is left out.
    """
    queries, few_words = [], 0
    for paper in run.papers:
        for number, question in enumerate(paper.parts.questions if paper.parts else []):
            text, removed = question["text"], list[str]()
            if question["kind"] == "conceptual":
                text, removed = without_title_words(text, paper.title)
            if len(set(words(text)) - STOP_WORDS) < 3:
                few_words += 1
                continue
            about = {"kind": question["kind"], "section": question["section"], "model": run.model}
            query = {"id": f"{paper.id}/{question['kind']}/{number}", "question": text, "paper_id": paper.id}
            queries.append({**query, **about, "title_words_removed": removed})
    owners: dict[str, set[str]] = {}
    for query in queries:
        owners.setdefault(normalise(query["question"]), set()).add(query["paper_id"])
    kept: dict[str, dict[str, Any]] = {}
    for query in queries:
        if len(owners[normalise(query["question"])]) == 1:
            kept.setdefault(normalise(query["question"]), query)
    several = sum(len(owners[normalise(query["question"])]) > 1 for query in queries)
    left_out = {"few_words": few_words, "asked_of_several": several, "repeated": len(queries) - several - len(kept)}
    return list(kept.values()), left_out


def without_title_words(question: str, title: str) -> tuple[str, list[str]]:
    """A question without the words that its paper's title has, stop words excepted; and these words."""
    taken = {_stem(word) for word in _parts(title)} - {_stem(word) for word in STOP_WORDS}
    removed: list[str] = []

    def keep(match: re.Match[str]) -> str:
        if {_stem(part) for part in _parts(match[0])} & taken:
            removed.append(match[0])
            return ""
        return match[0]

    left = re.sub(r"\w+(?:['’\-]\w+)*", keep, question)
    return re.sub(r"\s+([?.,;:!])", r"\1", " ".join(left.split())), removed


def _stem(word: str) -> str:
    """Singular and plural of regular nouns as one."""
    return word.lower().removesuffix("'s").removesuffix("’s").removesuffix("s")


def _parts(text: str) -> list[str]:
    """Words, and the parts of those with hyphens."""
    return [*words(text), *words(text.replace("-", " "))]
