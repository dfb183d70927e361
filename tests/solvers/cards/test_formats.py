"""Reading what models write: golden cases, and arbitrary text."""

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bridgebench.solvers.cards.formats import (
    LABELS,
    MAX_KEYWORDS,
    MAX_QUESTION_WORDS,
    is_question,
    parse_pairs,
    parse_summary,
    split_keywords,
)
from bridgebench.solvers.neutralise import Guard

WHY, HOW = "Why are lamps lit at night?", "How hot is the wick?"
FRAGMENTS = st.sampled_from(
    [
        *(
            "Question: ",
            "\nQuestion: ",
            "\nKeywords: ",
            "Q1: ",
            "\nK1: ",
            "\nAnswer: ",
            "**Question 2:** ",
            "\n1. ",
            "\n- ",
        ),
        *("Problem: ", "\nMethods: ", "\nResults: ", "\n**Keywords:** ", WHY, HOW, "oil, wick", "\n", "\r\n", "\u2028"),
        *("I cannot help with that.", "?", ":", "\x00", "\udc80", "東京は何ですか？", "{{", "Query generation failed"),
    ]
)
REPLIES = st.lists(FRAGMENTS, max_size=14).map("".join) | st.text(max_size=60)


@pytest.mark.parametrize(
    ("reply", "pairs", "parse"),
    [
        (f"Question: {WHY}\nKeywords: lamps, night", [(WHY, "lamps, night")], "ok"),
        (f"\nQuestion: {WHY}\n\nKeywords: lamps\n", [(WHY, "lamps")], "ok"),
        (f"Q1: {WHY}\nK1: lamps", [(WHY, "lamps")], "repaired"),
        (f"**Question 1:** {WHY}\n**Keywords:** lamps", [(WHY, "lamps")], "repaired"),
        (f"1. Question: {WHY}\n   Keywords: lamps", [(WHY, "lamps")], "repaired"),
        (f"Question: {WHY}\n\nKeywords:\n- lamps\n- night\n- lamps", [(WHY, "lamps, night")], "repaired"),
        (f"Question: {WHY}\nKeywords: lamps, lamps", [(WHY, "lamps")], "repaired"),
        (f"Question: {WHY}", [(WHY, "")], "repaired"),
        (f"Question: {WHY}\nAnswer: because", [(WHY, "")], "repaired"),
        (f"Sure!\nQuestion: {WHY}\nKeywords: lamps", [(WHY, "lamps")], "repaired"),
        (f"Question: {WHY}\nKeywords: lamps\nQuestion: {HOW}\nKeywords: wick", [(WHY, "lamps")], "repaired"),
        (f"Question: {WHY} Keywords: lamps", [], "empty"),
        (f"1. {WHY}\n2. It is so.", [(WHY, "")], "fallback"),
        (f"- *{WHY}*", [(WHY, "")], "fallback"),
        ("Question: Lamps are lit.\nKeywords: lamps", [], "empty"),
        ("Question: What does this section do?\nKeywords: lamps", [], "empty"),
        ("Question: Why?\nKeywords: lamps", [], "empty"),
        ("I'm sorry, I cannot do that.", [], "empty"),
        ("Query generation failed", [], "empty"),
        ("", [], "empty"),
    ],
)
def test_one_question(reply: str, pairs: list[tuple[str, str]], parse: str) -> None:
    parsed = parse_pairs(reply, 1)
    assert (list(parsed.pairs), parsed.parse) == (pairs, parse)


def test_several_questions() -> None:
    reply = f"Question: {WHY}\nKeywords: lamps\nQuestion: {HOW}\nKeywords: wick"
    assert parse_pairs(reply, 2).parse == "ok"
    assert parse_pairs(reply, 3).parse == "repaired"
    assert parse_pairs(f"{reply}\nKeywords: heat", 2).pairs == ((WHY, "lamps"), (HOW, "wick"))


def test_answers_may_have_several_lines() -> None:
    parsed = parse_pairs(f"Question: {WHY}\nAnswer: To see,\nand to read.", 1, "answer")
    assert (parsed.pairs, parsed.parse) == (((WHY, "To see, and to read."),), "repaired")
    assert parse_pairs(f"Question: {WHY}\nAnswer: To see, to see.", 1, "answer").parse == "ok"


def test_a_question_without_an_answer_is_not_as_specified() -> None:
    parsed = parse_pairs(f"Question: {WHY}\nAnswer: \nQuestion: {HOW}\nAnswer: By the wick.", 2, "answer")
    assert (parsed.pairs, parsed.parse) == (((WHY, ""), (HOW, "By the wick.")), "repaired")


def test_what_repeats_the_instructions_is_nothing() -> None:
    instructions = "Write one question, like: Question: Why is the sky blue? Then keywords to search for."
    parsed = parse_pairs(
        "Question: Why is the sky blue?\nKeywords: keywords to search for", 1, instructions=instructions
    )
    assert parsed.parse == "empty"
    parsed = parse_pairs(f"Question: {WHY}\nKeywords: keywords to search for", 1, instructions=instructions)
    assert (parsed.pairs, parsed.parse) == (((WHY, ""),), "repaired")
    summary = parse_summary("Problem: then keywords\nMethods: wicks", instructions)
    assert (summary.problem, summary.methods, summary.parse) == ("", "wicks", "repaired")


@pytest.mark.parametrize(
    ("reply", "parts", "parse"),
    [
        ("Problem: a\nMethods: b\nResults: c\nKeywords: d, e; d", ("a", "b", "c", ("d", "e")), "ok"),
        ("Problem: a\n\nMethods: b\n\nResults: c\n\nKeywords: d", ("a", "b", "c", ("d",)), "ok"),
        ("Problem: a\nb\nMethods: c", ("a b", "c", "", ()), "repaired"),
        ("**Problem:** a\n**Method:** b\n**Result:** c\n**Keywords:** d", ("a", "b", "c", ("d",)), "repaired"),
        ("Results: c\nProblem: a\nMethods: b\nKeywords: d", ("a", "b", "c", ("d",)), "repaired"),
        ("Problem: a\nProblem: z\nMethods: b\nResults: c\nKeywords: d", ("a", "b", "c", ("d",)), "repaired"),
        ("Here it is.\nProblem: a", ("a", "", "", ()), "repaired"),
        ("Problem:\nMethods:", ("", "", "", ()), "empty"),
        ("The paper is about lamps.", ("", "", "", ()), "empty"),
        ("", ("", "", "", ()), "empty"),
    ],
)
def test_summaries(reply: str, parts: tuple[str, str, str, tuple[str, ...]], parse: str) -> None:
    summary = parse_summary(reply)
    assert (summary.problem, summary.methods, summary.results, summary.keywords) == parts
    assert summary.parse == parse


def test_keywords() -> None:
    assert split_keywords("lamps, Lamps; oil.\n, , one two three four five six seven") == ("Lamps", "oil")
    assert len(split_keywords(", ".join(map(str, range(99))))) == MAX_KEYWORDS


@settings(max_examples=700)
@given(REPLIES, st.integers(1, 6), st.sampled_from(["keywords", "answer"]))
def test_any_reply_gives_questions_or_says_that_there_is_none(reply: str, count: int, second: str) -> None:
    parsed = parse_pairs(reply, count, second)
    assert len(parsed.pairs) <= count
    assert (parsed.parse == "empty") == (not parsed.pairs)
    for question, told in parsed.pairs:
        assert is_question(question)
        assert len(question.split()) <= MAX_QUESTION_WORDS
        assert "\n" not in question + told
        (question + told).encode()
    if parsed.parse == "ok":
        written = "\n".join(f"Question: {q}\n{second.capitalize()}: {told}" for q, told in parsed.pairs)
        assert parse_pairs(written, count, second) == parsed
        assert len(parsed.pairs) == count
        assert all(told for _, told in parsed.pairs)
    if parsed.parse == "fallback":
        assert not any(told for _, told in parsed.pairs)


@settings(max_examples=500)
@given(REPLIES)
def test_any_reply_gives_a_summary_or_says_that_there_is_none(reply: str) -> None:
    summary = parse_summary(reply)
    parts = (summary.problem, summary.methods, summary.results, summary.keywords)
    assert (summary.parse == "empty") == (not any(parts))
    assert not any("\n" in part or "\x00" in part for part in parts[:3])
    if summary.parse == "ok":
        assert all(parts)
    ", ".join((*map(str, parts[:3]), *summary.keywords)).encode()


@settings(max_examples=300)
@given(REPLIES)
def test_a_guarded_text_has_no_label(text: str) -> None:
    parsed = parse_pairs(Guard(*LABELS)(text), 9)
    assert parsed.parse in ("empty", "fallback") or "Q1:" in text  # short labels are too common to be broken


def test_reading_takes_no_more_than_linear_time() -> None:
    started = time.process_time()
    for part in ("*", "#", " ", "Question: ", "Question 1", "\n", "1. ", "- ", "?", "Keywords: a, ", WHY + "\n"):
        reply = "Question: " + part * (200_000 // len(part))
        parse_pairs(reply, 5)
        parse_summary(reply)
        Guard(*LABELS)(reply)
    assert time.process_time() - started < 60  # quadratic would be hours
