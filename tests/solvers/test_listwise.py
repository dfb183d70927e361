"""Windows and permutations: golden cases of the released code, its traps, and arbitrary text."""

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bridgebench import BridgebenchError
from bridgebench.solvers.listwise import overall_parse, parse_permutation, parse_tied, windows

FRAGMENTS = st.sampled_from(
    [
        "[1]",
        "[2]",
        "[3]",
        "[0]",
        "[12]",
        " > ",
        ">",
        "=",
        " = ",
        "\n",
        "²",
        "③",
        "４",
        "</think>",
        "-1",
        "é",
        "\x00",
        "9" * 5000,
    ]
)
REPLIES = st.lists(FRAGMENTS, max_size=15).map("".join) | st.text(max_size=40)


@pytest.mark.parametrize(
    ("n", "size", "stride", "spans"),
    [
        (10, 20, 10, [(0, 10)]),  # the original loop runs no window here
        (20, 20, 10, [(0, 20)]),
        (21, 20, 10, [(1, 21), (0, 11)]),
        (25, 20, 10, [(5, 25), (0, 15)]),
        (30, 20, 10, [(10, 30), (0, 20)]),
        (100, 20, 10, [(start, start + 20) for start in range(80, -1, -10)]),
        (15, 15, 10, [(0, 15)]),
        (7, 4, 4, [(3, 7), (0, 3)]),
        (0, 20, 10, []),
    ],
)
def test_windows_slide_up_inside_the_list(n: int, size: int, stride: int, spans: list[tuple[int, int]]) -> None:
    assert windows(n, size, stride) == spans


def test_a_stride_that_leaves_passages_out_is_refused() -> None:
    with pytest.raises(BridgebenchError, match="stride=11 must not be above window=10"):
        windows(5, 10, 11)


@given(st.integers(0, 200), st.integers(2, 30), st.integers(1, 30))
def test_windows_cover_every_passage_and_overlap_or_touch(n: int, size: int, stride: int) -> None:
    if stride > size:
        return
    spans = windows(n, size, stride)
    assert {index for start, end in spans for index in range(start, end)} == set(range(n))
    assert all(0 <= start < end <= n and end - start <= size for start, end in spans)
    assert [start for start, _ in spans].count(0) == bool(n)


@pytest.mark.parametrize(
    ("reply", "n", "order", "parse"),
    [
        ("[2] > [1]", 2, (1, 0), "ok"),
        ("[2]>[1]", 2, (1, 0), "ok"),
        ("2 > 1 > 3", 3, (1, 0, 2), "ok"),
        ("[2] > [1]", 3, (1, 0, 2), "repaired"),
        ("[2] > [2] > [9]", 3, (1, 0, 2), "repaired"),
        ("", 3, (0, 1, 2), "fallback"),
        ("I cannot rank these.", 3, (0, 1, 2), "fallback"),
        ("[0] > [4]", 3, (0, 1, 2), "fallback"),
        ("passage 2 is better than 1", 2, (1, 0), "repaired"),
        ("The ranking is [3] > [1] > [2].", 3, (2, 0, 1), "repaired"),
        ("② > ① > ３", 3, (1, 0, 2), "repaired"),
        ("[02] > [1]", 2, (1, 0), "ok"),
        ("[²] > [1]", 2, (1, 0), "repaired"),
        ("9" * 10_000 + " 2", 2, (1, 0), "repaired"),  # Python's int() refuses such a number
        ("[10] > [9] > [8] > [7] > [6] > [5] > [4] > [3] > [2] > [1]", 10, tuple(range(9, -1, -1)), "ok"),
    ],
)
def test_permutations(reply: str, n: int, order: tuple[int, ...], parse: str) -> None:
    parsed = parse_permutation(reply, n)
    assert (parsed.indices, parsed.parse) == (order, parse)


@pytest.mark.parametrize(
    ("reply", "n", "order", "parse", "ties"),
    [
        ("[3] > [2] > [4] = [1] > [5]", 5, (2, 1, 3, 0, 4), "ok", 1),
        ("Let me see.\nFirst [1].\n[2] > [1] = [3]", 3, (1, 0, 2), "ok", 1),
        ("[2] = [1]", 2, (1, 0), "ok", 1),  # ties keep the order in which they are listed
        ("[0] > [2] > [1]", 2, (1, 0), "repaired", 0),  # the released code reads 0 as the last passage
        ("[2] > [x] > [1]", 2, (1, 0), "repaired", 0),
        ("[ 2 ] > [ 1 ]", 2, (1, 0), "repaired", 0),  # numbers with spaces around them are numbers
        ("[2] > [3] > [2] > [1]", 3, (1, 2, 0), "repaired", 0),  # reading stops at the first repeated one
        ("[2] > [1]\nThat is my ranking.", 2, (0, 1), "fallback", 0),
        ("so passage 2 may be better, but then", 2, (0, 1), "fallback", 0),
        ("", 2, (0, 1), "fallback", 0),
        ("[7] > [1]", 2, (0, 1), "repaired", 0),
    ],
)
def test_rankings_with_ties(reply: str, n: int, order: tuple[int, ...], parse: str, ties: int) -> None:
    parsed = parse_tied(reply, n)
    assert (parsed.indices, parsed.parse, parsed.ties) == (order, parse, ties)


@settings(max_examples=800)
@given(REPLIES, st.integers(1, 12))
def test_any_reply_gives_a_permutation(reply: str, n: int) -> None:
    for parse in (parse_permutation, parse_tied):
        order = parse(reply, n)
        assert sorted(order.indices) == list(range(n))
        assert order.parse in ("ok", "repaired", "fallback")
        assert order.parse != "fallback" or order.indices == tuple(range(n))


@given(st.permutations(range(10)))
def test_a_full_list_is_read_as_it_is_written(order: list[int]) -> None:
    reply = " > ".join(f"[{index + 1}]" for index in order)
    for parse in (parse_permutation, parse_tied):
        assert (parse(reply, 10).indices, parse(reply, 10).parse) == (tuple(order), "ok")


def test_parsing_a_huge_reply_takes_no_more_than_linear_time() -> None:
    started = time.process_time()
    for reply in ("[1] > " * 50_000, "[" * 200_000, "1" * 200_000, " " * 200_000 + "[1]", "= " * 100_000):
        parse_permutation(reply, 20)
        parse_tied(reply, 20)
    assert time.process_time() - started < 20  # quadratic would be minutes


def test_parse_of_several_windows() -> None:
    ok, none = parse_permutation("[1] > [2]", 2), parse_permutation("", 2)
    assert [overall_parse(orders) for orders in ([], [ok, ok], [none], [ok, none])] == [
        "ok",
        "ok",
        "fallback",
        "repaired",
    ]
