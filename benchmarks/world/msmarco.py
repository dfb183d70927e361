"""Records in the schema of MS MARCO v2.1, the hub's columns."""

from dataclasses import replace
from random import Random
from typing import Any

from bridgebench.benchmarks.world.contexts import find
from bridgebench.benchmarks.world.facts import Fact
from bridgebench.benchmarks.world.phrases import capitalise, question_name
from bridgebench.benchmarks.world.reasoning import Question
from bridgebench.benchmarks.world.scene import Scene
from bridgebench.benchmarks.world.web import url

_PATTERNS = (
    "value", "sentence", "statement", "unanswerable", "value", "confirmation", "statement", "unanswerable",
    "description", "unanswerable",
)  # fmt: skip
_PEOPLE = {"director", "composer", "producer", "author", "founder", "spouse", "father", "mother", "lead singer"}
_NUMBERS = {
    "date of birth", "date of death", "publication date", "founded", "population", "students", "length", "area",
    "share price", "shares traded", "career goals",
}  # fmt: skip
_THINGS = {"publisher", "record label", "performer", "currency", "official language", "educated at"}
# What "the ... of" can be said of.
_NOUNS = (_PEOPLE | _NUMBERS | _THINGS | {"place of birth", "place of death", "capital", "setting", "mouth"}) - {
    "founded", "students", "educated at", "shares traded", "career goals",
}  # fmt: skip
_ZERO_WIDTH_SPACE = "\u200b"


def record(scene: Scene, index: int) -> dict[str, Any]:
    """The record at this place of the dataset."""
    rng = scene.rng("msmarco", index)
    pattern = _PATTERNS[index % len(_PATTERNS)]
    query, (question, answers) = scene.once(lambda: _draw(scene, pattern, rng))
    (fact,) = question.facts
    search = scene.rng("msmarco", index, "context")
    passages = scene.retriever.passages(
        question,
        search,
        distractors=search.choice([9, 9, 8, 7]),
        sentences=(3, 4),
        is_answerable=pattern != "unanswerable",
    )
    if index % 20 == 4:  # a second selected passage
        again = scene.pages.passage(fact.subject, search, need=[fact.relation], version=1)
        passages[search.randrange(len(passages))] = replace(again, is_gold=True)
    if pattern == "sentence":
        position, sentence = find(fact, passages)
        answers = [passages[position].sentences[sentence]]
    if pattern == "description":
        answers = [passages[find(fact, passages)[0]].sentences[0]]
    # There are no titles: a text that does not say what it is about gets it in front.
    texts = [p.text if scene.world.entities[p.entity].name in p.text else f"{p.title}. {p.text}" for p in passages]
    unselected = index % 30 == 16  # answered, although nothing is marked
    return {
        "answers": [f"{_ZERO_WIDTH_SPACE}{answers[0]}"] if index % 60 == 10 else answers,
        "passages": {
            "is_selected": [int(passage.is_gold and not unselected) for passage in passages],
            "passage_text": [text.replace("'", "\u2019") if index % 7 == 0 else text for text in texts],
            "url": [url(passage.title, search) for passage in passages],
        },
        "query": f". {query}" if index % 40 == 24 else query,
        "query_id": int(scene.digest("msmarco", index)[:5], 16) * 1000 + index % 1000,
        "query_type": _type(fact.relation, pattern),
        "wellFormedAnswers": [_statement(scene, fact, rng)] if pattern == "statement" and index % 4 == 2 else [],
    }


def _draw(scene: Scene, pattern: str, rng: Random) -> tuple[str, tuple[Question, list[str]]]:
    allowed = {"value": None, "unanswerable": _NUMBERS}.get(pattern, _NOUNS)
    question = scene.asker.ask(rng, "1hop")
    while allowed is not None and question.facts[0].relation not in allowed:
        question = scene.asker.ask(rng, "1hop")
    query, answers = _asked(scene, question, pattern, rng)
    return query, (question, answers)


def _asked(scene: Scene, question: Question, pattern: str, rng: Random) -> tuple[str, list[str]]:
    """The query as somebody would type it, and the answers that do not hang on the passages."""
    (fact,) = question.facts
    name = question_name(scene.world.entities[fact.subject]).removeprefix("the ").lower()
    query = question.text.removesuffix("?").lower()
    if pattern == "description":
        return f"{'who' if scene.world.entities[fact.subject].gender else 'what'} is {name}", []
    if pattern == "unanswerable":
        return query, ["No Answer Present."]
    if pattern == "statement":
        return f"{name} {fact.relation}", [_statement(scene, fact, rng)]
    if pattern == "confirmation":
        is_true = rng.random() < 0.5
        value = question.answer if is_true else scene.world.text(scene.retriever.false_object(fact, rng))
        words = {"relation": fact.relation, "x": name, "value": value}
        return rng.choice(scene.phrases.questions["confirmations"]).format(**words).lower(), [
            "Yes" if is_true else "No"
        ]
    return query, [question.answer] * rng.choice([1, 1, 1, 2])  # now and then twice, as upstream


def _statement(scene: Scene, fact: Fact, rng: Random) -> str:
    words = {
        "relation": fact.relation,
        "x": question_name(scene.world.entities[fact.subject]),
        "value": scene.world.text(fact.object),
    }
    return capitalise(rng.choice(scene.phrases.questions["statements"]).format(**words))


def _type(relation: str, pattern: str) -> str:
    if pattern in ("description", "confirmation"):
        return "DESCRIPTION"
    groups = {"PERSON": _PEOPLE, "NUMERIC": _NUMBERS, "ENTITY": _THINGS}
    return next((name for name, relations in groups.items() if relation in relations), "LOCATION")
