"""Records of every benchmark, written from the world by seed."""

from collections.abc import Callable, Iterator
from typing import Any, get_args

from bridgebench.benchmarks.world import ambigqa, arxiv_cards, crag, hotpotqa, longbench, msmarco, musique, twowiki
from bridgebench.benchmarks.world.contexts import Knobs
from bridgebench.benchmarks.world.names import Split
from bridgebench.benchmarks.world.scene import Scene
from bridgebench.errors import BridgebenchError

_WRITERS: dict[str, Callable[[Scene, int], dict[str, Any]]] = {
    "hotpotqa": hotpotqa.record,
    "twowiki": twowiki.record,
    "musique": musique.record,
    "ambigqa": ambigqa.record,
    "msmarco": msmarco.record,
    "crag": crag.record,
    "longbench": longbench.record,
    "arxiv_cards": arxiv_cards.record,
}
BENCHMARKS = tuple(_WRITERS)
"""Names of the benchmarks that `records` can write."""

_PAPERS = 109
_LEAST_PEOPLE = 300
# People of the world for every record: questions about all that somebody made use a maker up.
_PEOPLE = {"ambigqa": 2.0, "crag": 2.0}
_FEWER_PEOPLE = 0.5


def default_size(benchmark: str) -> int:
    """How many records ship with the package: 60, or as many papers as the paper-card study has."""
    return _PAPERS if benchmark == "arxiv_cards" else 60


def records(
    benchmark: str, *, size: int, seed: int = 0, split: Split = "validation", knobs: Knobs = Knobs()
) -> Iterator[dict[str, Any]]:
    """Records in the benchmark's upstream schema, about a world that `seed`, `split` and `size` decide.

    Args:
        benchmark: One of `BENCHMARKS`.
        size: How many records; the world grows with it.
        seed: Another seed gives other names, other facts and other templates.
        split: Training and validation worlds share neither names nor templates.
        knobs: How hard the contexts are. The questions stay the same.

    Raises:
        BridgebenchError: When an argument is unknown or out of range, or the knobs do not go together.
    """
    if benchmark == "arxiv_cards" and knobs != Knobs():
        raise BridgebenchError("arxiv_cards is a corpus of papers without contexts: the knobs do not apply")
    scene = scene_of(benchmark, size=size, seed=seed, split=split, knobs=knobs)
    return (_WRITERS[benchmark](scene, index) for index in range(size))


def scene_of(benchmark: str, *, size: int, seed: int, split: Split, knobs: Knobs) -> Scene:
    """The world that the records of `records`, with the same arguments, are about.

    Raises:
        BridgebenchError: When an argument is unknown or out of range.
    """
    if benchmark not in _WRITERS:
        raise BridgebenchError(f"no sample for benchmark {benchmark!r}; there are: {', '.join(BENCHMARKS)}")
    if split not in get_args(Split):
        raise BridgebenchError(f"split must be one of {', '.join(get_args(Split))}, got {split!r}")
    if size < 1:
        raise BridgebenchError(f"size must be at least 1, got {size}")
    people = max(_LEAST_PEOPLE, round(size * _PEOPLE.get(benchmark, _FEWER_PEOPLE)))
    return Scene.of(seed, split, people, knobs)
