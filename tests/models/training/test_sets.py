"""Which sets of rewrites a generator is asked about."""

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bridgebench.models.training.sets import Kind, draw_sets, kind_of, outcome_of

MIXES = ["a", "ab", "bc", "c", "ac", "abc"]


@pytest.mark.parametrize(("f1", "kind", "outcome"), [(0, "a", "lose"), (0.5, "b", "neither"), (1, "c", "win")])
def test_kinds_and_outcomes(f1: float, kind: str, outcome: str) -> None:
    assert (kind_of(f1), outcome_of(f1)) == (kind, outcome)


@settings(deadline=None)
@given(
    st.dictionaries(st.integers(0, 12), st.sampled_from(["a", "b", "c"]), max_size=8),
    st.integers(1, 12),
    st.integers(0, 99),
)
def test_sets_are_different_of_their_mix_and_as_many_as_there_are(kinds: dict[int, Kind], most: int, seed: int) -> None:
    drawn = draw_sets(kinds, MIXES, most, Random(seed))
    members = [item.members for item in drawn]
    assert len(set(members)) == len(members)
    assert all(list(item.members) == sorted(set(item.members)) for item in drawn)
    assert all("".join(sorted({kinds[place] for place in item.members})) == item.mix for item in drawn)
    # every set but those of (b) alone belongs to a mix
    b = sum(kind == "b" for kind in kinds.values())
    assert len(drawn) == min(most, 2 ** len(kinds) - 2**b)
    assert drawn == draw_sets(kinds, MIXES, most, Random(seed))


def test_mixes_take_turns() -> None:
    drawn = draw_sets({0: "a", 1: "a", 2: "b", 3: "c", 4: "c"}, MIXES, 8, Random(1))
    assert [item.mix for item in drawn] == [*MIXES, "a", "ab"]
