"""Long texts: a passage, then what else there is to tell about its subject and its surroundings."""

from collections import deque
from collections.abc import Collection, Iterator
from random import Random

from bridgebench.benchmarks.world.facts import World
from bridgebench.benchmarks.world.pages import Pages, Passage

_EVERYTHING = 20


class Articles:
    """Extends passages to articles.

    Args:
        world: What there is to tell.
        pages: Who tells it.
    """

    def __init__(self, world: World, pages: Pages) -> None:
        self._world, self._pages = world, pages

    def paragraphs(self, passage: Passage, rng: Random, words: int, without: Collection[str] = ()) -> list[str]:
        """The passage with all else about its subject, then paragraphs about what that has to do with.

        Args:
            passage: Where the article begins.
            rng: Draws the order.
            words: Least number of words, if the world has so much to tell.
            without: Entities that must have no paragraph.
        """
        told = frozenset[str]().union(*passage.stated)
        rest = self._pages.passage(passage.entity, rng, sentences=_EVERYTHING, with_lead=False, avoid=told)
        whole = passage.text if passage.entity in without else f"{passage.text} {rest.text}".strip()
        written = [whole]
        length = len(whole.split())
        for entity in self._around(passage.entity, rng):
            if length >= words:
                break
            if entity not in without:
                written.append(self._pages.passage(entity, rng, sentences=_EVERYTHING).text)
                length += len(written[-1].split())
        return written

    def _around(self, entity: str, rng: Random) -> Iterator[str]:
        """Everything that can be reached from an entity, the nearest first."""
        world = self._world
        seen, waiting = {entity}, deque([entity])
        while waiting:
            here = waiting.popleft()
            near = [fact.object for fact in world.facts_of[here].values() if fact.object in world.entities]
            near += [fact.subject for fact in world.facts_about(here)]
            near = [other for other in dict.fromkeys(near) if other not in seen]
            for other in rng.sample(near, len(near)):
                seen.add(other)
                waiting.append(other)
                yield other
