"""Questions that lead from a name along one relation after another."""

from dataclasses import dataclass, replace
from random import Random

from bridgebench.benchmarks.world.facts import Fact, World
from bridgebench.benchmarks.world.phrases import Phrases, capitalise, mention, question_name
from bridgebench.benchmarks.world.reasoning import Question, Step, gives_away

# A namesake may stand at these ends, because only one of the namesakes has the trade.
_TRADES = {"director", "composer", "producer", "author", "lead singer", "founder"}
# Two of these in a row have a word of their own: grandmother, father-in-law.
_FAMILY = {"father", "mother", "spouse"}
_STARTS = {"film": 6, "novel": 4, "album": 4, "person": 3, "company": 2, "band": 2, "university": 1, "town": 1}


@dataclass(frozen=True)
class _Reached:
    """An entity, the words that lead a reader to it, and the steps taken so far."""

    entity: str
    words: str
    steps: tuple[Step, ...] = ()


class Chains:
    """Draws chains, joins of two chains, and family ties.

    Args:
        world: What there is to ask about.
        phrases: How this world asks.
    """

    def __init__(self, world: World, phrases: Phrases) -> None:
        self._world, self._bank = world, phrases.questions

    def _answer(self, value: str) -> str:
        return self._world.text(value).removeprefix("the ")

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

    def _hop(self, rng: Random, here: _Reached, relation: str, is_named: bool = False) -> _Reached:
        templates = self._bank["phrases"][self._kind(here.entity)][relation]
        # "the director of the film X's father" misleads: the possessive only after a name.
        plain = [template for template in templates if "{x}'s" not in template]
        words = rng.choice(plain if here.steps and plain else templates).format(x=here.words)
        step = self._step(rng, here, relation)
        if is_named:
            words = f"{mention(self._world.entities[step.fact.object])}, {words},"
        return _Reached(step.fact.object, words, (*here.steps, step))

    def _finish(self, rng: Random, here: _Reached, relation: str, shape: str) -> Question:
        text = capitalise(rng.choice(self._bank["questions"][self._kind(here.entity)][relation]).format(x=here.words))
        text = text.replace(",?", "?")
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

    def chain(self, rng: Random, hops: int, is_named: bool = False) -> Question | None:
        """From a name along relations, each nested in the next; None when the way drawn leads nowhere.

        Args:
            rng: Draws the way.
            hops: How many relations.
            is_named: Whether the question also names what each relation leads to, so that the last alone would do:
                "Where was Ada Moor, the director of the film Tide, born?".
        """
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
                and not {fact.relation, last} <= _FAMILY
                and (not gives_away(self._world, fact) if left == 0 else self._leads_on(fact))
            ]
            if not options:
                return None
            last = rng.choice(options)
            if left == 0:
                return self._finish(rng, here, last, {1: "1hop", 2: "2hop", 3: "3hop1", 4: "4hop1"}[hops])
            here = self._hop(rng, here, last, is_named)
            visited.add(here.entity)
        return None

    def _way_to(self, rng: Random, entity: str, hops: int, avoided: set[str]) -> _Reached | None:
        facts: list[Fact] = []
        for _ in range(hops):
            last = facts[0].relation if facts else ""
            options = [
                fact
                for fact in self._world.facts_about(facts[0].subject if facts else entity)
                if fact.subject not in avoided and self._leads_on(fact) and not {fact.relation, last} <= _FAMILY
            ]
            if not options:
                return None
            facts.insert(0, rng.choice(options))
            avoided = avoided | {facts[0].subject}
        here = self._start(facts[0].subject)
        for fact in facts:
            here = self._hop(rng, here, fact.relation)
        return here

    def join(self, rng: Random, hops: int, further: bool) -> Question | None:
        """Two ways that meet in one thing; None when those drawn do not.

        Args:
            rng: Draws the thing and the ways.
            hops: Length of the first way, 1 or 2; the second is one hop.
            further: Whether the question goes on from the thing by one relation more.
        """
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

    def kinship(self, rng: Random) -> Question | None:
        """A family tie that no page states: two facts make one."""
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
