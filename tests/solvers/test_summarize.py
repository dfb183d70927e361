"""Query-focused summary by prompt."""

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from inspect_ai.model import ModelOutput, get_model

from bridgebench.solvers.summarize import parse_summary, summarize
from bridgebench.testing import check_bridge


def test_contract() -> None:
    model = {"bridge": get_model("fake/summary", answer="A summary.")}
    check_bridge(summarize, roles=model)
    check_bridge(summarize, roles=model, scope="each")


@pytest.mark.parametrize(
    ("reply", "summary", "exact"),
    [
        ("A.", "A.", True),
        ("Summary: A.", "A.", True),
        ("[NO_REWRITE]", "", True),
        ("[NO_REWRITE] Nothing there.", "", False),
        ("A. [NO_REWRITE]", "A.", False),
        ("", None, False),
        ("Summary:", None, False),
    ],
)
def test_replies(reply: str, summary: str | None, exact: bool) -> None:
    assert parse_summary(reply) == (summary, exact)


@given(st.lists(st.sampled_from(["[NO_REWRITE]", "Summary:", "A.", " ", "\n"])).map("".join) | st.text(max_size=40))
def test_any_reply_is_read(reply: str) -> None:
    summary, _ = parse_summary(reply)
    assert "[NO_REWRITE]" not in (summary or "")
    assert summary is None or summary == summary.strip()


def test_one_summary_of_all_documents(scripted: Callable[..., Any], bridged: Callable[..., Any]) -> None:
    model = scripted("Marsh comes from Tarnholm.")
    record = bridged(summarize(), model)
    (document,) = record["documents"]
    assert (document["text"], document["sources"]) == ("Marsh comes from Tarnholm.", ["d1", "d2", "d3"])
    assert (record["parse"], record["cost"]["calls"]) == ("ok", 1)
    assert model.texts()[0].endswith("Document 3: \nThe Sella rises in the hills.\n\nSummary:")


def test_a_summary_of_each_document(scripted: Callable[..., Any], bridged: Callable[..., Any]) -> None:
    model = scripted(lambda messages: "[NO_REWRITE]" if "hills" in messages[-1].text else "S.")
    record = bridged(summarize(scope="each"), model)
    assert [(document["id"], document["text"]) for document in record["documents"]] == [
        ("d1#summary", "S."),
        ("d2#summary", "S."),
    ]
    assert (record["parse"], record["notes"]["skipped"], record["cost"]["calls"]) == ("ok", 1, 3)


def test_a_blank_reply_does_not_say_that_nothing_is_relevant(
    scripted: Callable[..., Any], bridged: Callable[..., Any]
) -> None:
    record = bridged(summarize(), scripted("<think>So, the"))
    assert (record["documents"], record["parse"]) == ([], "fallback")
    assert (record["notes"]["skipped"], record["notes"]["missing"]) == (0, 1)
    some = bridged(summarize(scope="each"), scripted(lambda m: "" if "hills" in m[-1].text else "[NO_REWRITE]"))
    assert (some["parse"], some["notes"]["skipped"], some["notes"]["missing"]) == ("repaired", 2, 1)


def test_a_summary_that_was_cut_off_is_not_as_specified(
    scripted: Callable[..., Any], bridged: Callable[..., Any]
) -> None:
    record = bridged(summarize(), scripted(ModelOutput.from_content("scripted", "Marsh co", stop_reason="max_tokens")))
    assert (record["parse"], record["notes"]["truncated"]) == ("repaired", 1)


def test_nothing_relevant_is_empty(scripted: Callable[..., Any], bridged: Callable[..., Any]) -> None:
    record = bridged(summarize(), scripted("[NO_REWRITE]"))
    assert (record["documents"], record["parse"]) == ([], "empty")
