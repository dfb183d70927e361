"""Questions whose answers follow from facts of the world, with those facts in the order of reasoning."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from random import Random

from bridgebench.benchmarks.world.facts import Entity, Fact, World, magnitude
from bridgebench.benchmarks.world.phrases import Phrases, capitalise, mention, question_name
from bridgebench.errors import BridgebenchError

# A namesake may stand at these ends, because only one of the namesakes has the trade.
_TRADES = {"director", "composer", "producer", "author", "lead singer", "founder"}
_FAMILY = {"father", "mother", "spouse"}
_STARTS = {"film": 6, "novel": 4, "album": 4, "person": 3, "company": 2, "band": 2, "university": 1, "town": 1}
_TRIES = 10_000


@dataclass(frozen=True)
class Step:
    """One hop: a question of its own (``#1`` is the first step's answer), its answer in words, and the fact."""

    question: str
    answer: str
    fact: Fact


@dataclass(frozen=True)
class Question:
    """A question and why its answer is right.

    Attributes:
        text: The question in words.
        answer: The answer in words.
        answer_entity: Id of the entity that is the answer; None for literals, yes and no.
        facts: What it follows from, in the order of reasoning.
        shape: ``1hop``, ``2hop``, ``3hop1``, ..., ``comparison``, ``shared``, ``kinship``, ``bridged``.
        steps: For hops, the way there.
        relation: For kinship, what the tie is called.
    """

    text: str
    answer: str
    answer_entity: str | None
    facts: tuple[Fact, ...]
    shape: str
    steps: tuple[Step, ...] = ()
    relation: str = ""

    @property
    def needs(self) -> list[tuple[str, frozenset[str]]]:
        """What each gold passage must state, in the order of reasoning: entity, relations.

        A further hop from the thing where two ways met is told in another passage about the same thing.
        """
        needs: dict[tuple[str, bool], frozenset[str]] = {}
        for number, fact in enumerate(self.facts, 1):
            part = fact.subject, self.shape == "4hop2" and number == len(self.facts)
            needs[part] = needs.get(part, frozenset()) | {fact.relation}
        return [(entity, relations) for (entity, _), relations in needs.items()]


@dataclass(frozen=True)
class _Reached:
    """An entity, the words that lead a reader to it, and the steps taken so far."""

    entity: str
    words: str
    steps: tuple[Step, ...] = ()


class Asker:
    """Draws questions about a world.

    Args:
        world: What there is to ask about.
        phrases: How this world asks.
    """

    def __init__(self, world: World, phrases: Phrases) -> None:
        self._world, self._bank = world, phrases.questions
        self._draws: dict[str, Callable[[Random], Question | None]] = {
            "1hop": partial(self._chain, hops=1),
            "2hop": partial(self._chain, hops=2),
            "3hop1": partial(self._chain, hops=3),
            "4hop1": partial(self._chain, hops=4),
            "3hop2": partial(self._join, hops=1, further=False),
            "4hop2": partial(self._join, hops=1, further=True),
            "4hop3": partial(self._join, hops=2, further=False),
            "comparison": self._comparison,
            "shared": self._shared,
            "kinship": self._kinship,
            "bridged": self._bridged,
            "bridged_shared": self._bridged_shared,
        }

    def ask(self, rng: Random, shape: str) -> Question:
        """A question of one shape, see `Question.shape`.

        Raises:
            BridgebenchError: When the world holds nothing to ask about in this way.
        """
        for _ in range(_TRIES):  # most draws lead somewhere
            if question := self._draws[shape](rng):
                return question
        raise BridgebenchError(f"no question of shape '{shape}' in the world '{self._world.name}'")

    def _answer(self, value: str) -> str:
        return self._world.text(value).removeprefix("the ")

    # Chains: from a name along relations, each hop nested in the next.

    def _kind(self, entity: str) -> str:
        return self._world.entities[entity].kind

    def _start(self, entity: str) -> _Reached:
        return _Reached(entity, question_name(self._world.entities[entity]))

    def _step(self, rng: Random, here: _Reached, relation: str) -> Step:
        subject = f"#{len(here.steps)}" if here.steps else here.words
        question = rng.choice(self._bank["questions"][self._kind(here.entity)][relation]).format(x=subject)
        if rng.random() < 0.5:
            question = f"{subject if here.steps else self._world.entities[here.entity].name} >> {relation}"
        fact = self._world.facts_of[here.entity][relation]
        return Step(question, self._answer(fact.object), fact)

    def _hop(self, rng: Random, here: _Reached, relation: str) -> _Reached:
        templates = self._bank["phrases"][self._kind(here.entity)][relation]
        # "the director of the film X's father" misleads: the possessive only after a name.
        plain = [template for template in templates if "{x}'s" not in template]
        words = rng.choice(plain if here.steps and plain else templates).format(x=here.words)
        step = self._step(rng, here, relation)
        return _Reached(step.fact.object, words, (*here.steps, step))

    def _finish(self, rng: Random, here: _Reached, relation: str, shape: str) -> Question:
        text = capitalise(rng.choice(self._bank["questions"][self._kind(here.entity)][relation]).format(x=here.words))
        return self._question(text, (*here.steps, self._step(rng, here, relation)), shape)

    def _question(self, text: str, steps: tuple[Step, ...], shape: str) -> Question:
        value = steps[-1].fact.object
        entity = value if value in self._world.entities else None
        return Question(text, self._answer(value), entity, tuple(step.fact for step in steps), shape, steps)

    def _leads_on(self, fact: Fact) -> bool:
        """Whether a reader can go on from the fact's object: it has a page, and its name says which."""
        entity = self._world.entities.get(fact.object)
        phrased = fact.relation in self._bank["phrases"].get(self._kind(fact.subject), {})
        return phrased and entity is not None and (not entity.is_ambiguous or fact.relation in _TRADES)

    def _gives_away(self, fact: Fact) -> bool:
        """Whether the subject's own name answers: "When was the 1954 film ... released?"."""
        subject = self._world.entities[fact.subject]
        return subject.kind == "film" and subject.is_ambiguous and fact.relation == "publication date"

    def _chain(self, rng: Random, hops: int) -> Question | None:
        kind = rng.choices(list(_STARTS), list(_STARTS.values()))[0]
        here = self._start(rng.choice(self._world.of_kind(kind)).id)
        visited, last = {here.entity}, ""
        for left in range(hops - 1, -1, -1):
            askable = self._bank["questions"][self._kind(here.entity)]
            options = [
                fact.relation
                for fact in self._world.facts_of[here.entity].values()
                if fact.relation in askable
                and fact.object not in visited
                and not (
                    fact.relation in _FAMILY and last in _FAMILY
                )  # in-laws and grandparents have words of their own
                and (not self._gives_away(fact) if left == 0 else self._leads_on(fact))
            ]
            if not options:
                return None
            last = rng.choice(options)
            if left == 0:
                return self._finish(rng, here, last, {1: "1hop", 2: "2hop", 3: "3hop1", 4: "4hop1"}[hops])
            here = self._hop(rng, here, last)
            visited.add(here.entity)
        return None

    # Joins: two ways that meet in one thing.

    def _way_to(self, rng: Random, entity: str, hops: int, avoided: set[str]) -> _Reached | None:
        facts: list[Fact] = []
        for _ in range(hops):
            last = facts[0].relation if facts else ""
            options = [
                fact
                for fact in self._world.facts_about(facts[0].subject if facts else entity)
                if fact.subject not in avoided
                and self._leads_on(fact)
                and not (fact.relation in _FAMILY and last in _FAMILY)
            ]
            if not options:
                return None
            facts.insert(0, rng.choice(options))
            avoided = avoided | {facts[0].subject}
        here = self._start(facts[0].subject)
        for fact in facts:
            here = self._hop(rng, here, fact.relation)
        return here

    def _join(self, rng: Random, hops: int, further: bool) -> Question | None:
        world = self._world
        kind = rng.choice(list(self._bank["joins"]))
        one, ((other, templates),) = next((one, rest.items()) for one, rest in self._bank["joins"][kind].items())
        target = rng.choice(world.of_kind(kind)).id
        ends = [world.object(target, relation) for relation in (one, other)]
        if ends[0] is None or ends[1] is None or world.entities[target].is_ambiguous:
            return None
        if set(world.subjects(one, ends[0])) & set(world.subjects(other, ends[1])) != {target}:
            return None
        left = self._way_to(rng, ends[0], hops, {target})
        if left is None:
            return None
        right = self._way_to(rng, ends[1], 1, {target} | {step.fact.subject for step in left.steps})
        if right is None:
            return None
        fact = world.facts_of[target][one]
        marks = {"a": f"#{len(left.steps)}", "b": f"#{len(left.steps) + 1}"}
        # The step's answer is the target itself: its facts point back at both ends.
        meeting = Step(rng.choice(templates).format(**marks), world.text(target), fact)
        steps = (*left.steps, *right.steps, meeting)
        ends_in_words = {"a": left.words, "b": right.words}
        if further:
            words = rng.choice(self._bank["join_phrases"][kind][one][other]).format(**ends_in_words)
            relations = [
                relation
                for relation in self._bank["questions"][kind]
                if relation not in (one, other) and world.object(target, relation)
            ]
            question = self._finish(rng, _Reached(target, words, steps), rng.choice(relations), "4hop2")
        else:
            text = rng.choice(templates).format(**ends_in_words)
            shape = "3hop2" if hops == 1 else "4hop3"
            question = Question(capitalise(text), world.text(target), target, (), shape, steps)
        facts = [step.fact for step in question.steps]
        facts.insert(len(steps), world.facts_of[target][other])
        return replace(question, facts=tuple(facts))

    # Comparisons: two facts of one kind, side by side.

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

    def _comparison(self, rng: Random) -> Question | None:
        kind = rng.choice(list(self._bank["comparisons"]))
        relation = rng.choice(list(self._bank["comparisons"][kind]))
        extreme = rng.choice(list(self._bank["comparisons"][kind][relation]))
        pair = self._pair(rng, kind)
        facts = [self._world.facts_of[entity.id].get(relation) for entity in pair or ()]
        if pair is None or facts[0] is None or facts[1] is None or any(map(self._gives_away, filter(None, facts))):
            return None
        winner = self._compare(facts[0], facts[1], extreme)
        if winner is None:
            return None
        template = rng.choice(self._bank["comparisons"][kind][relation][extreme])
        text = capitalise(template.format(a=self._title(pair[0]), b=self._title(pair[1])))
        return Question(text, self._world.entities[winner].title, winner, (facts[0], facts[1]), "comparison")

    def _shared(self, rng: Random) -> Question | None:
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

    def _kinship(self, rng: Random) -> Question | None:
        person = rng.choice(self._world.of_kind("person"))
        first = rng.choice(list(self._bank["kinship"]))
        second = rng.choice(list(self._bank["kinship"][first]))
        middle = self._world.object(person.id, first)
        end = self._world.object(middle, second) if middle else None
        if middle is None or end is None or self._world.entities[middle].is_ambiguous:
            return None
        ((relation, templates),) = self._bank["kinship"][first][second].items()
        facts = (self._world.facts_of[person.id][first], self._world.facts_of[middle][second])
        text = rng.choice(templates).format(x=question_name(person))
        return Question(text, self._world.text(end), end, facts, "kinship", relation=relation)

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

    def _bridged(self, rng: Random) -> Question | None:
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

    def _bridged_shared(self, rng: Random) -> Question | None:
        if (made := self._makers(rng)) is None:
            return None
        _, words, facts = made
        ends = [self._world.facts_of[fact.object]["country of citizenship"] for fact in facts]
        answer = "yes" if ends[0].object == ends[1].object else "no"
        text = rng.choice(self._bank["bridged_shared"]).format(**words)
        return Question(text, answer, None, (*facts, *ends), "bridged")
