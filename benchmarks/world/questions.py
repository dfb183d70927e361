"""Draws questions of every shape."""

from collections.abc import Callable
from functools import partial
from random import Random

from bridgebench.benchmarks.world.chains import Chains
from bridgebench.benchmarks.world.comparisons import Comparisons
from bridgebench.benchmarks.world.facts import World
from bridgebench.benchmarks.world.phrases import Phrases
from bridgebench.benchmarks.world.reasoning import Question
from bridgebench.errors import BridgebenchError

_TRIES = 10_000


class Asker:
    """Draws questions about a world.

    Args:
        world: What there is to ask about.
        phrases: How this world asks.
    """

    def __init__(self, world: World, phrases: Phrases) -> None:
        self._world = world
        chains, comparisons = Chains(world, phrases), Comparisons(world, phrases)
        self._draws: dict[str, Callable[[Random], Question | None]] = {
            "1hop": partial(chains.chain, hops=1),
            "2hop": partial(chains.chain, hops=2),
            "2hop_named": partial(chains.chain, hops=2, is_named=True),
            "3hop1": partial(chains.chain, hops=3),
            "4hop1": partial(chains.chain, hops=4),
            "3hop2": partial(chains.join, hops=1, further=False),
            "4hop2": partial(chains.join, hops=1, further=True),
            "4hop3": partial(chains.join, hops=2, further=False),
            "kinship": chains.kinship,
            "comparison": comparisons.comparison,
            "shared": comparisons.shared,
            "bridged": comparisons.bridged,
            "bridged_shared": comparisons.bridged_shared,
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
