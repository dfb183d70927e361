"""The fictional world: entities and the facts that hold between them. Everything else only puts these into words."""

import re
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from random import Random

from bridgebench.benchmarks.world.founding import Founding
from bridgebench.benchmarks.world.names import Split

MONTHS = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
]


@dataclass(frozen=True)
class Entity:
    """Something with a page of its own.

    Attributes:
        id: Looks like a Wikidata id (``Q`` and digits), unique in the world.
        kind: One of ``person film novel album band company university town region river country``.
        name: As running text says it; namesakes share it.
        title: Title of its page, unique: the name, with the qualifier in parentheses where namesakes need it.
        qualifier: What tells it from its namesakes: an occupation, ``novel``, ``1954 film``.
        gender: ``female`` or ``male`` for people, else empty.
    """

    id: str
    kind: str
    name: str
    title: str
    qualifier: str
    gender: str

    @property
    def is_ambiguous(self) -> bool:
        """Whether the name alone does not say which entity is meant."""
        return self.title != self.name

    @property
    def name_key(self) -> str:
        """What related names share: the surname, a town's bare name, a work's whole title."""
        if self.kind == "person":
            return self.name.split()[-1]
        if self.kind in ("film", "novel", "album", "band"):
            return self.name
        return self.name.split()[-1 if self.name.startswith("University") else 0].strip(",")


@dataclass(frozen=True)
class Fact:
    """`object` is the id of an entity, or a literal: an ISO date, a year, a number with its unit, a word."""

    subject: str
    relation: str
    object: str


def magnitude(literal: str) -> int:
    """Order of dates, years and quantities: ``1932-03-14`` is 19320314, ``48,213`` 48213, ``312 kilometres`` 312."""
    return int(re.sub(r"\D", "", literal))


class World:
    """People, places and works, consistent with each other.

    A subject and a relation have one object at most, so every question has one answer.

    Args:
        seed: Another seed gives other names and other facts.
        size: Number of people (at least 100); everything else is in proportion.
        split: Worlds of different splits share no name.

    Attributes:
        split: As given.
        name: Seed and split, the seed of everything that is drawn about this world.
        facts: The complete table.
        entities: By id, in the order they came into being.
    """

    def __init__(self, seed: int, size: int = 300, split: Split = "validation") -> None:
        self.split, self.name = split, f"{seed}/{split}"
        founding = Founding(self.name, max(size, 100), split)
        sharers: dict[str, int] = defaultdict(int)
        for draft in founding.drafts:
            sharers[draft.name] += 1
        self.entities: dict[str, Entity] = {}
        for number, draft in enumerate(founding.drafts):
            name = draft.name
            title = f"{name} ({draft.qualifier})" if sharers[name] > 1 else name
            entity = Entity(founding.id_of(number), draft.kind, name, title, draft.qualifier, draft.gender)
            self.entities[entity.id] = entity
        self.facts = tuple(Fact(*key, value) for key, value in founding.objects.items())
        self.month_first = Random(f"{self.name}/dates").random() < 0.5
        self.facts_of: dict[str, dict[str, Fact]] = defaultdict(dict)
        self._facts_about: dict[str, list[Fact]] = defaultdict(list)
        self._by_kind: dict[str, list[Entity]] = defaultdict(list)
        self._by_name_key: dict[str, list[Entity]] = defaultdict(list)
        for fact in self.facts:
            self.facts_of[fact.subject][fact.relation] = fact
            self._facts_about[fact.object].append(fact)
        for entity in self.entities.values():
            self._by_kind[entity.kind].append(entity)
            self._by_name_key[entity.name_key].append(entity)

    def of_kind(self, kind: str) -> list[Entity]:
        """All entities of one kind."""
        return self._by_kind[kind]

    def object(self, subject: str, relation: str) -> str | None:
        """What the relation leads to; None where the world holds no such fact."""
        fact = self.facts_of[subject].get(relation)
        return fact.object if fact else None

    def subjects(self, relation: str, value: str) -> list[str]:
        """Everything that stands in this relation to `value`."""
        return [fact.subject for fact in self._facts_about.get(value, ()) if fact.relation == relation]

    def facts_about(self, value: str) -> list[Fact]:
        """Facts that have `value` as their object."""
        return self._facts_about.get(value, [])

    def name_sharers(self, entity: Entity) -> Iterable[Entity]:
        """Others with the same surname, title or place name."""
        return (other for other in self._by_name_key[entity.name_key] if other.id != entity.id)

    def text(self, value: str) -> str:
        """A fact's object in words: an entity's name, a date in this world's style, any other literal as it is."""
        if value in self.entities:
            return self.entities[value].name
        if re.fullmatch(r"\d{4}-\d\d-\d\d", value):
            year, month, day = value.split("-")
            name = MONTHS[int(month) - 1]
            return f"{name} {int(day)}, {year}" if self.month_first else f"{int(day)} {name} {year}"
        return value

    def aliases(self, value: str) -> list[str]:
        """Other names of the entity `value`; none for a literal."""
        alias = self.object(value, "also known as") if value in self.entities else None
        return [alias] if alias else []
