"""Reading what rewriters and teachers write: golden cases, leaks, and arbitrary text."""

import re
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bridgebench import Document
from bridgebench.solvers.neutralise import Guard
from bridgebench.solvers.r2u_format import (
    LABELS,
    SKIP,
    format_rewrites,
    parse_rewrites,
    parse_teacher,
    rewritten_documents,
    split_steps,
)

FRAGMENTS = st.sampled_from(
    [
        *("Document 1:", "Document 2:\n", "\nDocument 3: ", "**Document 2:** ", "Document 99:", "document 0:"),
        *(SKIP, "NO_REWRITE", "\n", " ", "**", "Step 1. Document rewrite:", "\nStep 2. Explain and answer: ", "step 2"),
        *("Answer: x", "\nAnswer:", "The film is from 1940.", "Document ٣:", "é", "\x00", "\u2028", "😀", "{", "\\"),
    ]
)
OUTPUTS = st.lists(FRAGMENTS, max_size=12).map("".join) | st.text(max_size=40)


@pytest.mark.parametrize(
    ("output", "texts", "parse"),
    [
        ("Document 1:\nA.\n\nDocument 2:\n[NO_REWRITE]\n\nDocument 3:\nC.", ("A.", "", "C."), "ok"),
        ("Document 1: A.\nDocument 2: B.\nDocument 3: C.", ("A.", "B.", "C."), "ok"),
        ("document 1: A.\n**Document 2:** B.\n## Document 3: C.", ("A.", "B.", "C."), "ok"),
        ("Document 3:\nC.\nDocument 1:\nA.\nDocument 2:\nB.", ("A.", "B.", "C."), "ok"),
        ("Document 1:\nA.\nDocument 3:\nC.", ("A.", None, "C."), "repaired"),
        ("Here you are:\nDocument 1:\nA.\nDocument 2:\nB.\nDocument 3:\nC.", ("A.", "B.", "C."), "repaired"),
        ("Document 1:\nA.\nDocument 1:\nZ.\nDocument 2:\nB.\nDocument 3:\nC.", ("A.", "B.", "C."), "repaired"),
        ("Document 1:\nA.\nDocument 2:\nB.\nDocument 3:\nC.\nDocument 4:\nZ.", ("A.", "B.", "C."), "repaired"),
        ("Document 0:\nZ.\nDocument 1:\nA.\nDocument 2:\nB.\nDocument 3:\nC.", ("A.", "B.", "C."), "repaired"),
        ("Document 1:\nDocument 2:\nB.\nDocument 3:\nC.", (None, "B.", "C."), "repaired"),
        ("Document 1:\n**[NO_REWRITE]**\nDocument 2:\nNO_REWRITE.\nDocument 3:\nC.", ("", "", "C."), "repaired"),
        (
            "Document 1:\n[NO_REWRITE] It is about a ship.\nDocument 2:\nB.\nDocument 3:\nC.",
            ("", "B.", "C."),
            "repaired",
        ),
        ("Document 1:\nA [NO_REWRITE].\nDocument 2:\nB.\nDocument 3:\nC.", ("A .", "B.", "C."), "repaired"),
        (f"Document {'1' * 5000}:\nZ.\nDocument 1:\nA.", ("A.", None, None), "repaired"),
        (
            "Document 1:\nAs Document 2: says, A.\nDocument 2:\nB.\nDocument 3:\nC.",
            ("As Document 2: says, A.", "B.", "C."),
            "ok",
        ),
        ("Document 1:\nDocument 1: A.\nDocument 2:\nB.\nDocument 3:\nC.", (None, "B.", "C."), "repaired"),
        ("Document 1: Document 1: A.\nDocument 2:\nB.\nDocument 3:\nC.", ("A.", "B.", "C."), "repaired"),
        ("[NO_REWRITE]", ("", "", ""), "repaired"),
        ("Document 4:\nZ.", (None, None, None), "fallback"),
        ("Document 1:\n\nDocument 2:", (None, None, None), "fallback"),
        ("", (None, None, None), "fallback"),
    ],
)
def test_rewrites(output: str, texts: tuple[str | None, ...], parse: str) -> None:
    rewrites = parse_rewrites(output, 3)
    assert (rewrites.texts, rewrites.parse, rewrites.whole) == (texts, parse, None)


def test_an_output_without_labels_is_one_context() -> None:
    rewrites = parse_rewrites("Ida Marsh was born in Tarnholm.", 3)
    assert (rewrites.whole, rewrites.parse, rewrites.missing) == ("Ida Marsh was born in Tarnholm.", "fallback", 3)


@pytest.mark.parametrize(
    ("reply", "rewrite", "answer", "parse"),
    [
        ("Step 1. Document rewrite: A.\nStep 2. Explain and answer: B.", "A.", "B.", "ok"),
        ("Step 1. Document rewrite: Document 3: A.\nStep 2. Explain and answer: B.", "A.", "B.", "repaired"),
        ("Step 1. Document rewrite:\nA.\nA2.\n\nStep 2. Explain and answer:\nB.", "A.\nA2.", "B.", "ok"),
        ("Step 1. Document rewrite: [NO_REWRITE]\nStep 2. Explain and answer: B.", "", "B.", "ok"),
        ("**Step 1: Document rewrite:**\nA.\n\n**Step 2: Explain and answer:**\nB.", "A.", "B.", "repaired"),
        ("Step 1. Document rewrite: A. Step 2. Explain and answer: B.", "A.", "B.", "ok"),
        ("Sure!\nStep 1. Document rewrite: A.\nStep 2. Explain and answer: B.", "A.", "B.", "repaired"),
        ("Step 1. Document rewrite: He is **Vik**\nStep 2. Explain and answer: B.", "He is **Vik**", "B.", "ok"),
        ("Step 1. Document rewrite: written in C#\n\n## Step 2. Explain and answer: B.", "written in C#", "B.", "ok"),
        ("Step 1. Document rewrite: A.", "A.", "", "repaired"),  # cut before step 2
        ("Step 1. Document rewrite: A.\nStep 2. Explanation: because.", "A.", "because.", "ok"),
        (
            "Step 1. Document rewrite: A.\nStep 1. Document rewrite: Z.\nStep 2. Explain and answer: B.",
            "A.",
            "B.",
            "repaired",
        ),
        ("Step 1. Document rewrite: A.\nAnswer: Paris.\nStep 2. Explain and answer: B.", None, "B.", "fallback"),
        ("Step 1. Document rewrite: A. Final answer: Paris.", None, "", "fallback"),
        ("Step 1. Document rewrite:\nStep 2. Explain and answer: B.", None, "B.", "fallback"),
        ("The document says A.\nStep 2. Explain and answer: B.", None, "", "fallback"),
        ("A.", None, "", "fallback"),
        ("", None, "", "fallback"),
    ],
)
def test_teacher_replies(reply: str, rewrite: str | None, answer: str, parse: str) -> None:
    parsed = parse_teacher(reply)
    assert (parsed.rewrite, parsed.answer, parsed.parse) == (rewrite, answer, parse)


def test_steps_of_a_text_that_has_steps_of_its_own_are_kept() -> None:
    reply = "Step 1. Document rewrite: Step 1. Heat oil.\nStep 2. Add salt.\nStep 2. Explain and answer: B."
    assert split_steps(reply).rewrite == "Step 1. Heat oil.\nStep 2. Add salt."


@settings(max_examples=700)
@given(OUTPUTS, st.integers(1, 11))
def test_any_output_gives_one_entry_a_document(output: str, n: int) -> None:
    rewrites = parse_rewrites(output, n)
    assert len(rewrites.texts) == n
    assert rewrites.parse in ("ok", "repaired", "fallback")
    assert all(SKIP not in text and text == text.strip() for text in rewrites.texts if text)
    if rewrites.parse == "ok":
        assert None not in rewrites.texts
        again = parse_rewrites(format_rewrites([text or "" for text in rewrites.texts]), n)
        assert again.texts == rewrites.texts
    documents = [Document(str(number), "T", "original") for number in range(n)]
    for keep in (True, False):
        read = rewritten_documents(documents, rewrites, keep_title=True, keep_original=keep)
        assert len({document.id for document in read}) == len(read)
        assert {source for document in read for source in document.sources} <= {d.id for d in documents}
        assert all(document.text for document in read)


@settings(max_examples=700)
@given(OUTPUTS)
def test_no_rewrite_holds_what_stands_after_the_second_step(output: str) -> None:
    parsed = parse_teacher(output)
    assert parsed.parse in ("ok", "repaired", "fallback")
    assert (parsed.rewrite is None) == (parsed.parse == "fallback")
    leaked = parse_teacher(f"Step 1. Document rewrite: A.{output}\nStep 2. Explain and answer: secret-7391")
    assert "secret-7391" not in (leaked.rewrite or "")


@settings(max_examples=300)
@given(st.lists(OUTPUTS, min_size=1, max_size=10))
def test_what_is_formatted_reads_back(texts: list[str]) -> None:
    texts = [Guard(*LABELS)(text).strip() for text in texts]
    texts = ["" if text.strip("*_`\"'. ").upper() == "NO_REWRITE" else text for text in texts]
    rewrites = parse_rewrites(format_rewrites(texts), len(texts))
    assert rewrites.parse == "ok"
    assert [re.sub(r"^[\s*_]+", "", text) for text in texts] == [
        re.sub(r"^[\s*_]+", "", text or "") for text in rewrites.texts
    ]


def test_reading_takes_no_more_than_linear_time() -> None:
    started = time.process_time()
    for part in (
        "*",
        "#",
        "_",
        " ",
        "Document 1:",
        "Document ",
        "Step 1. ",
        "step 2 ",
        ". ",
        "answer",
        "1",
        "\n",
        SKIP,
    ):
        output = "Step 1. Document rewrite:" + part * (300_000 // len(part))
        parse_rewrites(output, 10)
        parse_teacher(output)
        Guard(*LABELS)(output)
    assert time.process_time() - started < 60  # quadratic would be hours
