"""Pages about entities: a first sentence, then others, each stating facts of the world."""

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from random import Random

from bridgebench.benchmarks.world.facts import World
from bridgebench.benchmarks.world.phrases import Phrases, Template, capitalise, mention, possessive_name

_PRONOUNS = {"female": ("she", "her", "her"), "male": ("he", "him", "his"), "": ("it", "it", "its")}


@dataclass(frozen=True)
class Passage:
    """An excerpt of a page.

    Attributes:
        entity: Id of what the page is about.
        title: Title of the page.
        sentences: In reading order.
        stated: For each sentence the relations of the entity that it states.
        is_gold: Whether the question needs it.
    """

    entity: str
    title: str
    sentences: tuple[str, ...]
    stated: tuple[frozenset[str], ...]
    is_gold: bool = False

    @property
    def text(self) -> str:
        """Sentences joined by spaces."""
        return " ".join(self.sentences)


def _choose_articles(text: str) -> str:
    return re.sub(r"\b([Aa])\(n\) (?=(\w))", lambda match: match[1] + ("n " if match[2] in "AEIOUaeiou" else " "), text)


class Pages:
    """Writes pages. An entity's sentences are always in the same words, whichever of them an excerpt shows.

    Args:
        world: What there is to tell.
        phrases: How this world tells it.
    """

    def __init__(self, world: World, phrases: Phrases) -> None:
        self._world, self._phrases = world, phrases
        self._outlines: dict[tuple[str, int], tuple[list[Template], list[Template]]] = {}

    def passage(
        self,
        entity: str,
        rng: Random,
        *,
        need: Collection[str] = (),
        sentences: int = 3,
        with_lead: bool = True,
        version: int = 0,
        instead: Mapping[str, str] | None = None,
        avoid: Collection[str] = (),
    ) -> Passage:
        """An excerpt of the entity's page.

        Args:
            entity: Id of an entity.
            rng: Draws what is told beyond the needed relations, and the order.
            need: Relations that must be stated.
            sentences: How many sentences, if `need` takes no more.
            with_lead: Whether the excerpt begins with a first sentence of the page.
            version: Another version says the same in other words where the phrase bank has any.
            instead: False objects, by relation, told in place of the true ones.
            avoid: Relations not to be told unless needed.
        """
        leads, details = self._outline(entity, version)
        opening = [lead for lead in leads if with_lead and not lead.relations & set(avoid)][:1]
        stated: set[str] = set().union(*(lead.relations for lead in opening))
        body: list[Template] = []
        for template in sorted(rng.sample(details, len(details)), key=lambda t: not t.relations & set(need)):
            is_needed = bool((template.relations - stated) & set(need))
            is_welcome = len(opening + body) < sentences and not template.relations & (stated | set(avoid))
            if is_needed or is_welcome:
                body.append(template)
                stated |= template.relations
        # Without a lead, a sentence that names the entity goes first.
        told = opening + sorted(rng.sample(body, len(body)), key=lambda t: not opening and "{S}" not in t.text)
        title = self._world.entities[entity].title
        lines = tuple(self._say(template, entity, number == 0, instead or {}) for number, template in enumerate(told))
        return Passage(entity, title, lines, tuple(template.relations for template in told))

    def _outline(self, entity: str, version: int) -> tuple[list[Template], list[Template]]:
        """First sentences, the best first, and one template for every relation that the entity has."""
        if (entity, version) not in self._outlines:
            rng = Random(f"{self._world.name}/{entity}/{version}")
            kind, known = self._world.entities[entity].kind, self._world.facts_of[entity].keys()
            leads = [lead for lead in self._phrases.leads[kind] if lead.relations - {"date of death"} <= known]
            chosen: dict[Template, None] = {}
            for relation, templates in self._phrases.details[kind].items():
                usable = [template for template in templates if template.relations <= known]
                if relation in known and usable:
                    chosen[rng.choice(usable)] = None
            self._outlines[entity, version] = rng.sample(leads, len(leads)), list(chosen)
        return self._outlines[entity, version]

    def _say(self, template: Template, entity: str, is_first: bool, instead: Mapping[str, str]) -> str:
        world, subject = self._world, self._world.entities[entity]

        def tell(relation: str) -> str:
            value = instead.get(relation) or world.object(entity, relation)
            if value is None:
                return ""
            return mention(world.entities[value]) if value in world.entities else world.text(value)

        pronoun, accusative, possessive = _PRONOUNS[subject.gender]
        short = subject.name.split()[-1] if subject.kind == "person" else f"the {subject.qualifier.split()[-1]}"
        # Told in either way, but always in the same: nothing is drawn here.
        later = short if len(template.text) % 2 else pronoun
        name = mention(subject)
        slots = {relation.replace(" ", "_"): tell(relation) for relation in template.relations}
        born, died = slots.get("date_of_birth"), slots.get("date_of_death")
        country = world.object(entity, "country of citizenship") or world.object(entity, "country of origin") or entity
        text = template.text.format_map(
            slots
            | {
                "N": name,
                "S": capitalise(name if is_first else later),
                "s": pronoun,
                "obj": accusative,
                "poss": possessive,
                "Poss": possessive_name(capitalise(name)) if is_first else capitalise(possessive),
                "is": "was" if world.object(entity, "date of death") else "is",
                "life": f"{born} – {died}" if died else f"born {born}",
                "demonym": world.object(country, "demonym"),
            }
        )
        return capitalise(_choose_articles(text))
