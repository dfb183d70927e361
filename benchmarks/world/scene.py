"""One world with everything needed to write records about it."""

import hashlib
from collections.abc import Callable
from dataclasses import dataclass, field
from random import Random
from typing import TypeVar

from bridgebench.benchmarks.world.articles import Articles
from bridgebench.benchmarks.world.contexts import Knobs, Retriever
from bridgebench.benchmarks.world.facts import Fact, World
from bridgebench.benchmarks.world.listings import Listings
from bridgebench.benchmarks.world.names import Split
from bridgebench.benchmarks.world.pages import Pages
from bridgebench.benchmarks.world.papers import Papers
from bridgebench.benchmarks.world.phrases import Phrases
from bridgebench.benchmarks.world.questions import Asker
from bridgebench.benchmarks.world.reasoning import Question
from bridgebench.errors import BridgebenchError

T = TypeVar("T")
_TRIES = 10_000


@dataclass
class Scene:
    """A world, how it is told, and what has been asked of it.

    Attributes:
        world: The facts.
        phrases: The world's part of the phrase bank.
        pages: Writes pages.
        asker: Draws questions.
        listings: Draws questions about all that somebody made.
        papers: Draws and writes research papers.
        retriever: Finds the passages for one.
        articles: Extends passages to long texts.
    """

    world: World
    phrases: Phrases
    pages: Pages
    asker: Asker
    listings: Listings
    papers: Papers
    retriever: Retriever
    articles: Articles
    _numbers: dict[Fact, int] = field(default_factory=dict)
    _asked: set[str] = field(default_factory=set)

    @classmethod
    def of(cls, seed: int, split: Split, people: int, knobs: Knobs) -> "Scene":
        """The scene of a seed and a split; training and validation scenes share no name and no template."""
        world = World(seed, people, split)
        phrases = Phrases(world)
        pages = Pages(world, phrases)
        return cls(
            world, phrases, pages, Asker(world, phrases), Listings(world, phrases), Papers(world),
            Retriever(world, pages, knobs), Articles(world, pages),
        )  # fmt: skip

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

    def once(self, draw: Callable[[], tuple[str, T]]) -> tuple[str, T]:
        """What `draw` returns, a question's text and more, as soon as the text is one that was not asked before.

        Raises:
            BridgebenchError: When the world is too small for more such questions.
        """
        for _ in range(_TRIES):
            text, more = draw()
            if text not in self._asked:
                self._asked.add(text)
                return text, more
        raise BridgebenchError(f"the world '{self.world.name}' is too small for so many questions")

    def ask(self, rng: Random, shape: str) -> Question:
        """A question of one shape whose facts were not asked for before, not in other words either.

        Args:
            rng: Draws the question.
            shape: See `Question.shape`.

        Raises:
            BridgebenchError: When the world is too small for more such questions.
        """
        for _ in range(_TRIES):
            question = self.asker.ask(rng, shape)
            keys = {question.text, f"{sorted(map(str, question.facts))} {question.answer}"}
            if not keys & self._asked:
                self._asked |= keys
                return question
        raise BridgebenchError(f"the world '{self.world.name}' is too small for so many questions of shape '{shape}'")
