"""Records in the schema of AmbigQA's raw release, configuration `full`."""

from dataclasses import dataclass
from random import Random
from typing import Any

from bridgebench.benchmarks.world.contexts import find
from bridgebench.benchmarks.world.facts import Entity, Fact
from bridgebench.benchmarks.world.pages import Passage
from bridgebench.benchmarks.world.phrases import capitalise
from bridgebench.benchmarks.world.reasoning import Question
from bridgebench.benchmarks.world.scene import Scene
from bridgebench.benchmarks.world.web import bold_snippet

_RESULTS = 10
_MAKERS = {"film": "director", "novel": "author", "album": "performer"}
# How the question was drawn and what its annotators found, in turn.
_PATTERNS = (
    "works", "single", "namesakes", "single", "works", "mixed", "single", "works", "single", "duplicates", "namesakes",
    "single", "works", "mixed", "three",
)  # fmt: skip


@dataclass(frozen=True)
class _Reading:
    """One way to understand the question: said plainly, answered, with the facts behind it."""

    question: str
    answers: list[str]
    facts: tuple[Fact, ...]


def record(scene: Scene, index: int) -> dict[str, Any]:
    """The record at this place of the dataset."""
    rng = scene.rng("ambigqa", index)
    pattern = _PATTERNS[index % len(_PATTERNS)]
    text, readings = scene.once(lambda: _draw(scene, rng, pattern))
    facts = tuple(fact for reading in readings for fact in reading.facts)
    question = Question(text, readings[0].answers[0], None, facts, "1hop")
    search = scene.rng("ambigqa", index, "context")
    gold = len(question.needs)
    passages = scene.retriever.passages(question, search, distractors=_RESULTS - gold, sentences=(2, 3))
    titles = [passages[find(fact, passages)[0]].title for fact in facts]
    return {
        "viewed_doc_titles": list(dict.fromkeys(titles))[: 1 + index % 3],
        "used_queries": _queries(scene, question, passages, search, second=index % 3 == 1),
        "annotations": _annotations(readings, pattern, rng),
        "nq_answer": [readings[0].answers[0].replace(",", " ,")],  # tokenised, as upstream's
        "id": str(int(scene.digest("ambigqa", index)[:16], 16) - 2**63),
        "nq_doc_title": titles[0],
        "question": text,
    }


def _draw(scene: Scene, rng: Random, pattern: str) -> tuple[str, list[_Reading]]:
    if pattern == "single":
        question = scene.asker.ask(rng, "1hop")
        aliases = scene.world.aliases(question.answer_entity) if question.answer_entity else []
        return question.text, [_Reading(question.text, [question.answer, *aliases], question.facts)]
    if pattern == "namesakes":
        return _namesakes(scene, rng)
    oeuvre = scene.listings.oeuvre(rng)
    readings = []
    for work in oeuvre.works:
        year = scene.listings.year(work.id)
        plain = scene.listings.ask(rng, oeuvre, "dated", year=year)
        table = scene.world.facts_of[work.id]
        facts = (table[oeuvre.relation], table["publication date"])
        readings.append(_Reading(plain, [work.name], facts))
    return scene.listings.ask(rng, oeuvre, "one"), readings


def _namesakes(scene: Scene, rng: Random) -> tuple[str, list[_Reading]]:
    """Works of one title: when did it come out?"""
    works = [work for kind in ("film", "novel", "album") for work in scene.world.of_kind(kind) if work.is_ambiguous]
    named: list[Entity] = []
    while len(named) < 2:
        name = rng.choice(works).name
        # One work of a kind and a maker: these tell the readings apart.
        distinct = {(w.kind, scene.world.object(w.id, _MAKERS[w.kind])): w for w in works if w.name == name}
        named = list(distinct.values())[:4]
    readings = []
    for work in named:
        table = scene.world.facts_of[work.id]
        maker = table[_MAKERS[work.kind]]
        # Told apart by who made it: the year would give the answer away.
        told = f"{name}, the {work.kind} by {scene.world.text(maker.object)},"
        plain = rng.choice(scene.phrases.questions["questions"][work.kind]["publication date"]).format(x=told)
        date = table["publication date"]
        readings.append(_Reading(capitalise(plain.replace(",?", "?")), [date.object], (maker, date)))
    return rng.choice(scene.phrases.questions["ambiguous"]).format(x=name), readings


def _annotations(readings: list[_Reading], pattern: str, rng: Random) -> list[dict[str, Any]]:
    answers = readings[0].answers
    single = {"type": "singleAnswer", "answer": answers}
    if pattern == "single":
        # A second annotator knows one name only, or says the very same.
        return [single, {"type": "singleAnswer", "answer": rng.choice([answers[:1], answers])}][: rng.randrange(1, 3)]
    multiple = {"type": "multipleQAs", "qaPairs": [{"question": r.question, "answer": r.answers} for r in readings]}
    if pattern == "mixed":
        return [single, multiple]
    if pattern == "duplicates":
        return [multiple, multiple]
    # Upstream holds such things: two wordings with a bar between, a blank behind an answer.
    worded = [
        {"question": f"{r.question}|{r.question.removesuffix('?')} exactly?", "answer": [f"{r.answers[0]} "]}
        for r in readings[:2]
    ]
    return [multiple, {"type": "multipleQAs", "qaPairs": worded}, single] if pattern == "three" else [multiple]


def _queries(
    scene: Scene, question: Question, passages: list[Passage], rng: Random, second: bool
) -> list[dict[str, Any]]:
    def results(query: str, shown: list[Passage]) -> dict[str, Any]:
        return {
            "query": query,
            "results": [{"title": p.title, "snippet": bold_snippet(p.text, query)} for p in shown],
        }

    queries = [results(question.text, passages)]
    if second:  # finds some of the same pages again
        others = scene.retriever.passages(question, rng, distractors=_RESULTS, sentences=(2, 3))
        fresh = [passage for passage in others if not passage.is_gold][: _RESULTS // 2]
        again = passages[: _RESULTS - len(fresh)]
        queries.append(results(question.text.lower().removesuffix("?"), again + fresh))
    return queries
