"""One world with everything needed to write records about it."""

import hashlib
from dataclasses import dataclass, field
from random import Random

from bridgebench.benchmarks.world.contexts import Knobs, Retriever
from bridgebench.benchmarks.world.facts import Fact, World
from bridgebench.benchmarks.world.names import Split
from bridgebench.benchmarks.world.pages import Pages
from bridgebench.benchmarks.world.phrases import Phrases
from bridgebench.benchmarks.world.questions import Asker, Question
from bridgebench.errors import BridgebenchError


@dataclass
class Scene:
    """A world, how it is told, and what has been asked of it.

    Attributes:
        world: The facts.
        phrases: The world's part of the phrase bank.
        pages: Writes pages.
        asker: Draws questions.
        retriever: Finds the passages for one.
    """

    world: World
    phrases: Phrases
    pages: Pages
    asker: Asker
    retriever: Retriever
    _numbers: dict[Fact, int] = field(default_factory=dict)
    _asked: set[tuple[frozenset[Fact], str]] = field(default_factory=set)

    @classmethod
    def of(cls, seed: int, split: Split, people: int, knobs: Knobs) -> "Scene":
        """The scene of a seed and a split; training and validation scenes share no name and no template."""
        world = World(seed, people, split)
        phrases = Phrases(world)
        pages = Pages(world, phrases)
        return cls(world, phrases, pages, Asker(world, phrases), Retriever(world, pages, knobs))

    def rng(self, *purpose: object) -> Random:
        """A generator of its own for every purpose, so that a knob for one leaves the others alone."""
        return Random("/".join([self.world.name, *map(str, purpose)]))

    def digest(self, *purpose: object) -> str:
        """64 hex digits that name something for ever."""
        return hashlib.sha256("/".join([self.world.name, *map(str, purpose)]).encode()).hexdigest()

    def fact_number(self, fact: Fact) -> int:
        """Position of the fact in the world's table."""
        if not self._numbers:
            self._numbers = {fact: number for number, fact in enumerate(self.world.facts)}
        return self._numbers[fact]

    def ask(self, rng: Random, shape: str) -> Question:
        """A question that this scene has not asked before, in these words or in others.

        Raises:
            BridgebenchError: When the world is too small for more questions of this shape.
        """
        for _ in range(10_000):
            question = self.asker.ask(rng, shape)
            key = (frozenset(question.facts), question.answer)
            if key not in self._asked:
                self._asked.add(key)
                return question
        raise BridgebenchError(f"the world '{self.world.name}' holds no more questions of shape '{shape}'")
