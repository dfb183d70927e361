"""What a retriever would hand over for a question: its gold passages among others that look like them."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain, cycle, islice
from random import Random
from types import MappingProxyType
from typing import Literal

from bridgebench.benchmarks.world.facts import Fact, World
from bridgebench.benchmarks.world.pages import Pages, Passage
from bridgebench.benchmarks.world.reasoning import Question
from bridgebench.errors import BridgebenchError


@dataclass(frozen=True)
class Knobs:
    """What makes a context harder. They never change the questions, only what stands around the answer.

    Attributes:
        distractors: Passages that the question does not need; None is as many as the dataset has, but no fewer than
            the next two ask for.
        gold_position: Where the gold passages stand, in an order of their own.
        near_duplicates: How many distractors repeat a gold passage in other words, under another title.
        contradictions: How many distractors tell a gold passage with one false fact, under another title.
    """

    distractors: int | None = None
    gold_position: Literal["first", "middle", "last", "random"] = "random"
    near_duplicates: int = 0
    contradictions: int = 0

    def __post_init__(self) -> None:
        if self.gold_position not in ("first", "middle", "last", "random"):
            raise BridgebenchError(f"gold_position must be first, middle, last or random, got {self.gold_position!r}")
        if min(self.distractors or 0, self.near_duplicates, self.contradictions) < 0:
            raise BridgebenchError("distractors, near_duplicates and contradictions must not be negative")


class Retriever:
    """Finds the passages of a question.

    Args:
        world: Where the passages come from.
        pages: Who writes them.
        knobs: How hard it shall be.
    """

    def __init__(self, world: World, pages: Pages, knobs: Knobs) -> None:
        self._world, self._pages, self._knobs = world, pages, knobs

    def passages(
        self,
        question: Question,
        rng: Random,
        *,
        distractors: int,
        sentences: Sequence[int],
        repeats: int = 0,
        also: Mapping[str, str] = MappingProxyType({}),
        is_answerable: bool = True,
    ) -> list[Passage]:
        """Gold passages and distractors in the order of the context.

        Args:
            question: What is asked.
            rng: Draws everything but the question.
            distractors: How many the dataset has; the knob goes before it.
            sentences: How long a passage is, drawn for each.
            repeats: How many distractors are further excerpts of a page that is there already (same title).
            also: Distractors that must be among them if there is room: entity -> the relation to tell.
            is_answerable: Otherwise no passage is gold: the pages are there, what is asked for is not told.

        Raises:
            BridgebenchError: When the knobs ask for more special distractors than there are distractors.
        """
        knobs = self._knobs if is_answerable else replace(self._knobs, near_duplicates=0, contradictions=0)
        special = knobs.near_duplicates + knobs.contradictions
        number = max(distractors, special) if knobs.distractors is None else knobs.distractors
        if special > number:
            raise BridgebenchError(
                f"{knobs.near_duplicates} near-duplicates and {knobs.contradictions} contradictions"
                f" do not fit among {number} distractors"
            )
        if is_answerable:
            gold = [replace(passage, is_gold=True) for passage in self._gold(question, rng, sentences)]
        else:
            gold = [
                self._pages.passage(entity, rng, sentences=max(sentences), avoid=asked)
                for entity, asked in question.needs
            ]
        others = self._near_duplicates(question, rng, knobs.near_duplicates)
        others += self._contradictions(question, rng, knobs.contradictions)
        wanted = {entity: relation for entity, relation in also.items() if entity not in dict(question.needs)}
        near = chain(wanted, self._neighbours(question, rng, wanted))
        while len(others) < number:
            entity = next(near)
            need = [wanted[entity]] if entity in wanted else []
            others.append(self._pages.passage(entity, rng, need=need, sentences=rng.choice(sentences)))
        others[special:] = self._repeat(gold, others[special:], rng, repeats)
        return self._arrange(gold, others, rng)

    def _gold(self, question: Question, rng: Random, sentences: Sequence[int]) -> list[Passage]:
        needs = question.needs
        pages = Counter(entity for entity, _ in needs)
        parts = {
            entity: frozenset[str]().union(*(told for other, told in needs if other == entity)) for entity in pages
        }
        return [
            self._pages.passage(entity, rng, need=needed, sentences=rng.choice(sentences))
            if pages[entity] == 1
            # Two passages of one page: neither tells what the other is there for.
            else self._pages.passage(
                entity, rng, need=needed, sentences=1, with_lead=False, avoid=parts[entity] - needed
            )
            for entity, needed in needs
        ]

    def _repeat(self, gold: list[Passage], plain: list[Passage], rng: Random, number: int) -> list[Passage]:
        """Further excerpts, in place of so many distractors, of pages that are there and have more to tell."""
        number = min(number, len(plain))
        kept, spare = plain[: len(plain) - number], plain[len(plain) - number :]
        excerpts: list[Passage] = []
        for original in rng.sample(gold + kept, len(gold + kept)):
            if len(excerpts) == number:
                break
            told = frozenset[str]().union(*original.stated)
            excerpt = self._pages.passage(original.entity, rng, sentences=1, with_lead=False, avoid=told)
            if excerpt.sentences:
                excerpts.append(excerpt)
        return kept + excerpts + spare[len(excerpts) :]

    def _arrange(self, gold: list[Passage], others: list[Passage], rng: Random) -> list[Passage]:
        rng.shuffle(gold)
        rng.shuffle(others)
        start = {"first": 0, "middle": len(others) // 2, "last": len(others)}.get(self._knobs.gold_position)
        if start is None:
            return rng.sample(gold + others, len(gold) + len(others))
        return others[:start] + gold + others[start:]

    def _neighbours(self, question: Question, rng: Random, taken: Iterable[str]) -> Iterator[str]:
        """Entities that could be taken for gold, without end: namesakes, partakers, relatives, others of the kind."""
        world = self._world
        gold = list(dict(question.needs))
        objects = [world.object(entity, relation) for entity in gold for relation in world.facts_of[entity]]
        groups = [
            [other.id for entity in gold for other in world.name_sharers(world.entities[entity])],
            [subject for fact in question.facts for subject in world.subjects(fact.relation, fact.object)],
            [value for value in objects if value in world.entities],
        ]
        kinds = [world.of_kind(world.entities[entity].kind) for entity in gold]
        for group in groups:
            rng.shuffle(group)
        seen = {*gold, *taken}
        for turn in cycle(range(5)):  # one of each group, then two of the same kind as some gold page
            entity = groups[turn].pop() if turn < 3 and groups[turn] else rng.choice(rng.choice(kinds)).id
            if entity is not None and entity not in seen:
                seen.add(entity)
                yield entity

    def _elsewhere(self, passage: Passage, source: str) -> Passage:
        return replace(passage, title=f"{passage.title} – {source}")

    def _near_duplicates(self, question: Question, rng: Random, number: int) -> list[Passage]:
        needs = islice(cycle(question.needs), number)
        return [
            self._elsewhere(self._pages.passage(entity, rng, need=needed, version=number), f"Almanac, volume {number}")
            for number, (entity, needed) in enumerate(needs, 1)
        ]

    def _contradictions(self, question: Question, rng: Random, number: int) -> list[Passage]:
        facts = islice(cycle(question.facts), number)
        return [
            self._elsewhere(
                self._pages.passage(
                    fact.subject,
                    rng,
                    need=[fact.relation],
                    version=-number,
                    instead={fact.relation: self.false_object(fact, rng)},
                ),
                f"Gazette, number {number}",
            )
            for number, fact in enumerate(facts, 1)
        ]

    def false_object(self, fact: Fact, rng: Random) -> str:
        """Another object of the same relation, whose words do not hold the true one's."""
        kind = self._world.entities[fact.subject].kind
        while True:
            other = self._world.object(rng.choice(self._world.of_kind(kind)).id, fact.relation)
            if other is not None and self._world.text(fact.object) not in self._world.text(other):
                return other


def find(fact: Fact, passages: Sequence[Passage]) -> tuple[int, int]:
    """Position of the gold passage that states a fact, and of the sentence in it."""
    for position, passage in enumerate(passages):
        if passage.is_gold and passage.entity == fact.subject:
            for number, stated in enumerate(passage.stated):
                if fact.relation in stated:
                    return position, number
    raise LookupError(f"no gold passage states {fact}")
