"""Records in the schema of CRAG's tasks 1 and 2, version 4."""

import uuid
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import format_datetime
from random import Random
from typing import Any

from bridgebench.benchmarks.world.facts import Fact
from bridgebench.benchmarks.world.pages import Passage
from bridgebench.benchmarks.world.phrases import question_name
from bridgebench.benchmarks.world.reasoning import Question
from bridgebench.benchmarks.world.scene import Scene
from bridgebench.benchmarks.world.web import page, plain_snippet, url

_PAGES = 5
_PAGE_WORDS = 160
_DOMAINS = {
    "movie": {"film"},
    "music": {"album", "band"},
    "finance": {"company"},
    "open": {"town", "region", "river", "novel", "university"},
    "sports": {"person"},
}
# Question type and domain, in turn.
_TURNS = (
    ("simple", "movie"), ("multi-hop", "music"), ("comparison", "finance"), ("false_premise", "movie"),
    ("simple", "finance"), ("set", "open"), ("aggregation", "movie"), ("post-processing", "movie"),
    ("simple_w_condition", "music"), ("multi-hop", "movie"), ("simple", "sports"), ("comparison", "open"),
    ("simple", "open"), ("false_premise", "open"), ("aggregation", "open"), ("post-processing", "music"),
    ("simple", "finance"), ("set", "music"), ("multi-hop", "open"), ("simple_w_condition", "open"),
    ("comparison", "movie"), ("simple", "music"), ("false_premise", "music"), ("comparison", "sports"),
    ("simple", "finance"), ("aggregation", "music"), ("multi-hop", "finance"), ("post-processing", "open"),
    ("simple", "open"), ("unanswerable", "finance"),
)  # fmt: skip
_DYNAMISM = {
    "share price": "real-time", "shares traded": "fast-changing",
    "population": "slow-changing", "students": "slow-changing",
}  # fmt: skip
_KIND_OF = {"movie": "film", "music": "album", "open": "novel"}
_NUMBER_WORDS = ("none", "one", "two", "three", "four")


@dataclass(frozen=True)
class _Asked:
    """A query, its answer, what else is right, and the facts behind it."""

    answer: str
    alternatives: tuple[str, ...]
    facts: tuple[Fact, ...]


def record(scene: Scene, index: int) -> dict[str, Any]:
    """The record at this place of the dataset."""
    rng = scene.rng("crag", index)
    kind, domain = _TURNS[index % len(_TURNS)]
    query, asked = scene.once(lambda: _draw(scene, rng, kind, domain))
    search = scene.rng("crag", index, "context")
    question = Question(query, asked.answer, None, asked.facts, "1hop")
    passages = scene.retriever.passages(
        question,
        search,
        distractors=_PAGES - len(question.needs),
        sentences=(3, 4),
        is_answerable=kind != "unanswerable",
    )
    hidden = {fact.subject for fact in asked.facts if kind == "unanswerable"}
    return {
        "interaction_id": str(uuid.UUID(scene.digest("crag", index)[:32])),
        "query_time": f"0{search.choice('23')}/{search.randrange(1, 29):02d}/2024, "
        f"{search.randrange(24):02d}:{search.randrange(60):02d}:{search.randrange(60):02d} PT",
        "domain": domain,
        "question_type": "simple" if kind == "unanswerable" else kind,
        "static_or_dynamic": _DYNAMISM.get(asked.facts[-1].relation, "static"),
        "query": query.lower(),
        "answer": asked.answer.lower(),
        "alt_ans": [alternative.lower() for alternative in asked.alternatives],
        "split": index % 2,
        "search_results": _results(scene, passages, index, search, hidden),
    }


def _draw(scene: Scene, rng: Random, kind: str, domain: str) -> tuple[str, _Asked]:
    if kind in ("simple", "unanswerable", "multi-hop", "comparison"):
        return _single(scene, rng, kind, domain)
    oeuvre = scene.listings.oeuvre(rng, _KIND_OF[domain])
    facts = scene.listings.facts(oeuvre)
    first, last = oeuvre.works[0], oeuvre.works[-1]
    if kind == "simple_w_condition":
        year = scene.listings.year(last.id)
        return scene.listings.ask(rng, oeuvre, "dated", year=year), _Asked(last.name, (), facts[-2:])
    if kind == "aggregation":
        number = len(oeuvre.works)
        answer = _Asked(str(number), (_NUMBER_WORDS[number],), facts[::2])
        return scene.listings.ask(rng, oeuvre, "count"), answer
    if kind == "set":
        names = [work.name for work in oeuvre.works]
        listed = f"{', '.join(names[:-1])} and {names[-1]}"
        answer = _Asked(f"the {oeuvre.kind}s are {listed}.", (listed,), facts[::2])
        return scene.listings.ask(rng, oeuvre, "all"), answer
    if kind == "false_premise":
        other = scene.listings.oeuvre(rng, oeuvre.kind)
        while other.maker == oeuvre.maker:
            other = scene.listings.oeuvre(rng, oeuvre.kind)
        return scene.listings.ask(rng, other, "premise", work=first), _Asked("invalid question", (), facts[:1])
    while first.is_ambiguous or last.is_ambiguous:  # a name like "the 1954 film" would give the answer away
        oeuvre = scene.listings.oeuvre(rng, _KIND_OF[domain])
        first, last, facts = oeuvre.works[0], oeuvre.works[-1], scene.listings.facts(oeuvre)
    years = int(scene.listings.year(last.id)) - int(scene.listings.year(first.id))
    template = rng.choice(scene.phrases.questions["spans"])
    query = template.format(a=question_name(first), b=question_name(last))
    return query, _Asked(f"{years} years" if years > 1 else "one year", (str(years),), (facts[1], facts[-1]))


def _single(scene: Scene, rng: Random, kind: str, domain: str) -> tuple[str, _Asked]:
    shape = {"multi-hop": "2hop", "comparison": "comparison"}.get(kind, "1hop")

    def fits(question: Question) -> bool:
        fact = question.facts[0]
        entity = scene.world.entities[fact.subject]
        if entity.kind not in _DOMAINS[domain] or (domain == "sports" and entity.qualifier != "footballer"):
            return False
        if kind == "unanswerable":  # no page about something else may tell it
            return fact.object not in scene.world.entities
        return kind != "simple" or domain != "finance" or fact.relation in _DYNAMISM

    question = scene.asker.ask(rng, shape)
    while not fits(question):
        question = scene.asker.ask(rng, shape)
    if kind == "unanswerable":
        return question.text, _Asked("i don't know", (), question.facts)
    aliases = scene.world.aliases(question.answer_entity) if question.answer_entity else []
    return question.text, _Asked(question.answer, tuple(aliases), question.facts)


def _results(scene: Scene, passages: list[Passage], index: int, rng: Random, hidden: set[str]) -> list[dict[str, Any]]:
    titles = [passage.title for passage in passages]
    results = []
    for passage in passages:
        paragraphs = scene.articles.paragraphs(passage, rng, _PAGE_WORDS, without=hidden)
        results.append(
            {
                "page_name": passage.title,
                "page_url": url(passage.title, rng),
                "page_snippet": plain_snippet(passage.text),
                "page_result": page(passage.title, paragraphs, titles, rng),
                "page_last_modified": _modified(rng),
            }
        )
    spare = [number for number, passage in enumerate(passages) if not passage.is_gold]
    if index % 3 == 0:  # a page has no snippet: its text must do
        results[rng.randrange(len(results))]["page_snippet"] = ""
    if index % 4 == 1 and spare:  # a page could not be fetched
        results[rng.choice(spare)]["page_result"] = ""
    if index % 4 == 2 and spare:  # a page could not be fetched, and there is no snippet of it either
        results[rng.choice(spare)].update(page_result="", page_snippet="")
    if index % 2 == 0 and spare:  # the same page twice
        results[rng.choice(spare)] = dict(results[rng.randrange(len(results))])
    return results


def _modified(rng: Random) -> str:
    """Empty, or a date, some with a blank before it, as upstream."""
    moment = datetime(2024, 1, rng.randrange(1, 32), rng.randrange(24), rng.randrange(60), tzinfo=UTC)
    day = format_datetime(moment, usegmt=True)
    return rng.choice(["", "", day, f" {day}"])
