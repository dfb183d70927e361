"""Questions about all that somebody made."""

from dataclasses import dataclass
from random import Random

from bridgebench.benchmarks.world.facts import Entity, Fact, World
from bridgebench.benchmarks.world.phrases import Phrases, capitalise, question_name
from bridgebench.errors import BridgebenchError

_TRIES = 10_000


@dataclass(frozen=True)
class Oeuvre:
    """Works by one maker, each of another year, the oldest first.

    Attributes:
        kind: ``film``, ``novel`` or ``album``.
        relation: What leads from a work to its maker.
        maker: Who made them.
        works: All of them that there are.
    """

    kind: str
    relation: str
    maker: Entity
    works: tuple[Entity, ...]


class Listings:
    """Draws oeuvres and asks about them.

    Args:
        world: What there is to ask about.
        phrases: How this world asks.
    """

    def __init__(self, world: World, phrases: Phrases) -> None:
        self._world, self._bank = world, phrases.questions["listings"]

    def oeuvre(self, rng: Random, kind: str | None = None, most: int = 4) -> Oeuvre:
        """Two to `most` works by one maker.

        Raises:
            BridgebenchError: When the world has none.
        """
        for _ in range(_TRIES):
            drawn = kind or rng.choice(list(self._bank))
            (relation,) = self._bank[drawn]
            maker = self._world.object(rng.choice(self._world.of_kind(drawn)).id, relation)
            works = self._world.subjects(relation, maker) if maker else []
            years = [self.year(work) for work in works]
            if maker and 2 <= len(works) <= most and len(set(years)) == len(years):
                entities = sorted((self._world.entities[work] for work in works), key=lambda work: self.year(work.id))
                return Oeuvre(drawn, relation, self._world.entities[maker], tuple(entities))
        raise BridgebenchError(f"nobody in the world '{self._world.name}' made two to {most} works")

    def year(self, work: str) -> str:
        """Year in which a work came out."""
        return self._world.facts_of[work]["publication date"].object

    def facts(self, oeuvre: Oeuvre) -> tuple[Fact, ...]:
        """Who made each of the works, and when."""
        tables = [self._world.facts_of[work.id] for work in oeuvre.works]
        return tuple(table[relation] for table in tables for relation in (oeuvre.relation, "publication date"))

    def ask(self, rng: Random, oeuvre: Oeuvre, form: str, *, year: str = "", work: Entity | None = None) -> str:
        """A question of one form: ``one``, ``dated``, ``all``, ``count`` or ``premise``."""
        template = rng.choice(self._bank[oeuvre.kind][oeuvre.relation][form])
        maker = question_name(oeuvre.maker)
        return capitalise(template.format(x=maker, year=year, y=question_name(work) if work else ""))
