"""Questions that hold two things side by side."""

from random import Random

from bridgebench.benchmarks.world.facts import Entity, Fact, World, magnitude
from bridgebench.benchmarks.world.phrases import Phrases, capitalise, mention
from bridgebench.benchmarks.world.reasoning import Question, gives_away


class Comparisons:
    """Draws comparisons of two things, and of two works by way of their makers. None is a draw that leads nowhere.

    Args:
        world: What there is to ask about.
        phrases: How this world asks.
    """

    def __init__(self, world: World, phrases: Phrases) -> None:
        self._world, self._bank = world, phrases.questions

    def _compare(self, one: Fact, other: Fact, extreme: str) -> str | None:
        """Subject of the fact with the least or the most; None for a tie."""
        values = magnitude(one.object), magnitude(other.object)
        if values[0] == values[1]:
            return None
        return (one if (values[0] < values[1]) == (extreme == "least") else other).subject

    def _pair(self, rng: Random, kind: str) -> list[Entity] | None:
        pool = [rng.choice(self._world.of_kind(kind)) for _ in range(2)]
        return pool if pool[0] is not pool[1] else None

    def _title(self, entity: Entity) -> str:
        return entity.title if entity.is_ambiguous else mention(entity)

    def comparison(self, rng: Random) -> Question | None:
        """Which of two has the least, or the most?"""
        kind = rng.choice(list(self._bank["comparisons"]))
        relation = rng.choice(list(self._bank["comparisons"][kind]))
        extreme = rng.choice(list(self._bank["comparisons"][kind][relation]))
        pair = self._pair(rng, kind)
        facts = [self._world.facts_of[entity.id].get(relation) for entity in pair or ()]
        if (
            pair is None
            or facts[0] is None
            or facts[1] is None
            or any(gives_away(self._world, fact) for fact in facts if fact)
        ):
            return None
        winner = self._compare(facts[0], facts[1], extreme)
        if winner is None:
            return None
        template = rng.choice(self._bank["comparisons"][kind][relation][extreme])
        text = capitalise(template.format(a=self._title(pair[0]), b=self._title(pair[1])))
        return Question(text, self._world.entities[winner].title, winner, (facts[0], facts[1]), "comparison")

    def shared(self, rng: Random) -> Question | None:
        """Do two share a value? Yes or no."""
        kind = rng.choice(list(self._bank["shared"]))
        relation = rng.choice(list(self._bank["shared"][kind]))
        pair = self._pair(rng, kind)
        if pair is None:
            return None
        fact = self._world.facts_of[pair[0].id][relation]
        if rng.random() < 0.5:  # or yes would be rare
            pair[1] = self._world.entities[rng.choice(self._world.subjects(relation, fact.object))]
        other = self._world.facts_of[pair[1].id].get(relation)
        if pair[0] is pair[1] or pair[1].kind != kind or other is None:
            return None
        text = rng.choice(self._bank["shared"][kind][relation]).format(a=self._title(pair[0]), b=self._title(pair[1]))
        return Question(capitalise(text), "yes" if fact.object == other.object else "no", None, (fact, other), "shared")

    def _makers(self, rng: Random) -> tuple[list[Entity], dict[str, str], list[Fact]] | None:
        """Two works, what the question calls them, and the facts that lead to their makers."""
        kind, role = rng.choice([("film", "director"), ("film", "producer"), ("film", "composer"), ("novel", "author")])
        pair = self._pair(rng, kind)
        if pair is None:
            return None
        facts = [self._world.facts_of[entity.id][role] for entity in pair]
        if facts[0].object == facts[1].object:
            return None
        return pair, {"kind": kind, "role": role, "a": self._title(pair[0]), "b": self._title(pair[1])}, facts

    def bridged(self, rng: Random) -> Question | None:
        """Which of two works has the maker with the least, or the most?"""
        relation = rng.choice(list(self._bank["bridged_comparisons"]))
        extreme = rng.choice(list(self._bank["bridged_comparisons"][relation]))
        if (made := self._makers(rng)) is None:
            return None
        pair, words, facts = made
        ends = [self._world.facts_of[fact.object].get(relation) for fact in facts]
        if ends[0] is None or ends[1] is None:
            return None
        winner = self._compare(ends[0], ends[1], extreme)
        if winner is None:
            return None
        work = pair[0] if winner == ends[0].subject else pair[1]
        text = rng.choice(self._bank["bridged_comparisons"][relation][extreme]).format(**words)
        return Question(text, work.title, work.id, (*facts, ends[0], ends[1]), "bridged")

    def bridged_shared(self, rng: Random) -> Question | None:
        """Do the makers of two works come from the same country?"""
        if (made := self._makers(rng)) is None:
            return None
        _, words, facts = made
        ends = [self._world.facts_of[fact.object]["country of citizenship"] for fact in facts]
        answer = "yes" if ends[0].object == ends[1].object else "no"
        text = rng.choice(self._bank["bridged_shared"]).format(**words)
        return Question(text, answer, None, (*facts, *ends), "bridged")
