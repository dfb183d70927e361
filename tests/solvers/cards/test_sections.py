"""Which sections a card reads, and which it leaves for the questions that test it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bridgebench.corpus import Paper, Section
from bridgebench.document import Document
from bridgebench.solvers.cards.sections import deal, is_key, key_sections, normalise_heading, other_sections, share

PAPER = Paper(
    "1",
    "T",
    "We light lamps.",
    tuple(
        Section(name, text)
        for name, text in [
            ("1 Introduction", "Lamps are lit."),
            ("2 Oil and Fire", "Oil burns."),
            ("3 Experiments", ""),
            ("3.1 Experiments ::: Main Results", "They burn."),
            ("IV. Conclusions", "Lamps are good."),
        ]
    ),
)


@pytest.mark.parametrize(
    ("heading", "normal", "any_word", "last_word"),
    [
        ("3.2 Our Method", "our method", True, True),
        ("IV. Results", "results", True, True),
        ("A. Setup", "setup", True, True),
        ("2) Background", "background", True, True),
        ("Method of lamps", "method of lamps", True, False),
        ("Approach ::: 3.1 Architecture", "approach architecture", True, False),
        ("RESULTS & DISCUSSION", "results discussion", True, True),
        ("Methodological notes", "methodological notes", False, False),
        ("A pointer over rare words", "a pointer over rare words", False, False),
        ("Related Work", "related work", False, False),
        ("", "", False, False),
    ],
)
def test_headings(heading: str, normal: str, any_word: bool, last_word: bool) -> None:
    assert normalise_heading(heading) == normal
    assert (is_key(heading), is_key(heading, "last_word")) == (any_word, last_word)


def test_key_and_other_sections_share_nothing() -> None:
    key, other = key_sections(PAPER, "any_word", 100), other_sections(PAPER, "any_word", 100)
    assert [section.title for section in key.sections] == [
        "Abstract",
        "1 Introduction",
        "3.1 Experiments ::: Main Results",
        "IV. Conclusions",
    ]
    assert [section.title for section in other.sections] == ["2 Oil and Fire"]
    assert (key.matched, key.sections[0].text) == (True, "We light lamps.")


def test_without_a_known_heading_the_text_is_read_from_its_beginning() -> None:
    paper = Paper(
        "1", "T", "", (Section("Lamps", "one two three"), Section("Oil", "four five"), Section("Wicks", "six"))
    )
    key = key_sections(paper, "any_word", 6)
    assert [(section.title, section.text) for section in key.sections] == [("Lamps", "one two three"), ("Oil", "four")]
    assert not key.matched
    assert [section.title for section in other_sections(paper, "any_word", 6).sections] == ["Wicks"]
    # an abstract alone is no key section of a text
    alone = key_sections(Paper("1", "T", "a b", paper.sections), "any_word", 100)
    assert (len(alone.sections), alone.matched) == (4, False)


def test_questions_are_spread_over_the_paper() -> None:
    sections = [Document(str(place), "", "x") for place in range(5)]
    names = [[(section.id, count) for section, count in deal(n, sections)] for n in (2, 5, 7)]
    assert names[0] == [("0", 1), ("2", 1)]
    assert names[1] == [(str(place), 1) for place in range(5)]
    assert names[2] == [("0", 2), ("1", 2), ("2", 1), ("3", 1), ("4", 1)]
    assert [section.id for section, _ in deal(2, sections, last_first=True)] == ["2", "4"]


@given(st.integers(1, 12), st.integers(1, 12), st.booleans())
def test_all_questions_are_dealt(questions: int, count: int, last_first: bool) -> None:
    sections = [Document(str(place), "", "x") for place in range(count)]
    dealt = deal(questions, sections, last_first=last_first)
    assert sum(asked for _, asked in dealt) == questions
    assert all(asked > 0 for _, asked in dealt)
    places = [int(section.id) for section, _ in dealt]
    assert places == sorted(set(places))


@given(st.lists(st.integers(0, 50), min_size=1, max_size=12), st.integers(0, 300))
def test_a_budget_is_shared_evenly(sizes: list[int], budget: int) -> None:
    given_to = share(sizes, budget)
    assert sum(given_to) <= budget
    assert all(0 <= room <= size for room, size in zip(given_to, sizes, strict=True))
    if sum(sizes) <= budget:
        assert given_to == sizes
    else:
        cut = [room for room, size in zip(given_to, sizes, strict=True) if room < size]
        assert max(given_to) <= min(cut) + 1  # nobody has more than one that was cut, but for rounding
        assert budget - sum(given_to) < len(sizes)
