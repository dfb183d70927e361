"""Sets of rewrites that a generator is asked to answer from (arXiv 2509.15577, section 3.2.2)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Literal

Kind = Literal["a", "b", "c"]
"""What a generator makes of one rewrite alone: F1 = 0, between, F1 = 1."""

Outcome = Literal["win", "lose", "neither"]


@dataclass(frozen=True)
class Drawn:
    """A set of rewrites, by their documents' places.

    Attributes:
        mix: The kinds in it, in order (``bc``).
        members: Places, ascending.
    """

    mix: str
    members: tuple[int, ...]


def kind_of(score: float) -> Kind:
    """The paper's groups."""
    return "a" if score == 0 else "c" if score == 1 else "b"


def outcome_of(score: float) -> Outcome:
    """A set wins with F1 = 1 and loses with F1 = 0."""
    return "win" if score == 1 else "lose" if score == 0 else "neither"


def draw_sets(kinds: Mapping[int, Kind], mixes: Sequence[str], most: int, rng: Random) -> list[Drawn]:
    """Different sets of all sizes, one of each mix in turn, until there are `most` or every mix is used up.

    Args:
        kinds: Kind of each rewrite by its document's place.
        mixes: Kinds that a set consists of, each at least once: ``ab`` is one or more of a and one or more of b.
        most: Most sets.
        rng: Draws sizes and members.
    """
    groups = {kind: sorted(place for place, of in kinds.items() if of == kind) for kind in "abc"}
    open_mixes = [mix for mix in mixes if all(groups[kind] for kind in mix)]
    left = {mix: _combinations(mix, groups) for mix in open_mixes}
    drawn: dict[tuple[int, ...], Drawn] = {}
    while open_mixes and len(drawn) < most:
        for mix in list(open_mixes):
            if not left[mix]:
                open_mixes.remove(mix)
                continue
            members = _draw(mix, groups, rng)
            while members in drawn:
                members = _draw(mix, groups, rng)
            drawn[members] = Drawn(mix, members)
            left[mix] -= 1
            if len(drawn) == most:
                break
    return list(drawn.values())


def _combinations(mix: str, groups: Mapping[str, Sequence[int]]) -> int:
    number = 1
    for kind in mix:
        number *= 2 ** len(groups[kind]) - 1
    return number


def _draw(mix: str, groups: Mapping[str, Sequence[int]], rng: Random) -> tuple[int, ...]:
    """One set of a mix; of each kind all sizes are as likely."""
    members = [place for kind in mix for place in rng.sample(groups[kind], rng.randint(1, len(groups[kind])))]
    return tuple(sorted(members))
