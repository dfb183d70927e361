"""CompAct: segments, the stop marker, and parts that are missing."""

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from inspect_ai.model import get_model

from bridgebench import BridgebenchError, Document
from bridgebench.solvers.compact import compact, parse_iteration
from bridgebench.testing import check_bridge

TWELVE = [Document(f"d{number}", f"T{number}", f"text {number}") for number in range(12)]
FRAGMENTS = st.sampled_from(
    [
        "Summary:",
        "Evaluation:",
        "[COMPLETE]",
        "[INCOMPLETE]",
        "\n\n",
        "\n",
        " ",
        "A painter.",
        "Evaluation of",
        "é",
        ":",
    ]
)


def text_of(record: dict[str, Any]) -> str:
    (document,) = record["documents"]
    return str(document["text"])


def test_contract() -> None:
    check_bridge(compact, roles={"bridge": get_model("fake/compact", answer="A. Evaluation: B. [COMPLETE]")})


@pytest.mark.parametrize(
    ("reply", "summary", "evaluation", "complete", "clean"),
    [
        ("Summary: A.\nEvaluation: B. [COMPLETE]", "A.", "B. [COMPLETE]", True, True),
        ("A.\n\nEvaluation: B. [INCOMPLETE]", "A.", "B. [INCOMPLETE]", False, True),
        ("A.\n\nA2.\nEvaluation: [COMPLETE] B.\n\nB2.", "A.A2.", "[COMPLETE] B.B2.", True, True),
        ("Summary: A.", "A.", None, False, False),
        ("A.", "A.", None, False, False),
        ("Evaluation: B. [COMPLETE]", "", "B. [COMPLETE]", True, False),
        ("Evaluation: B. [COMPLETE] Summary: A.", "A.", "B. [COMPLETE]", True, True),
        ("A. Evaluation: B.", "A.", "B.", False, False),
        ("A. [COMPLETE]", "A. [COMPLETE]", None, False, False),
        ("", "", None, False, False),
    ],
)
def test_parts(reply: str, summary: str, evaluation: str | None, complete: bool, clean: bool) -> None:
    iteration = parse_iteration(reply)
    assert (iteration.summary, iteration.evaluation) == (summary, evaluation)
    assert (iteration.complete, iteration.as_specified) == (complete, clean)


@settings(max_examples=800)
@given(st.lists(FRAGMENTS, max_size=12).map("".join) | st.text(max_size=40))
def test_any_reply_is_read(reply: str) -> None:
    iteration = parse_iteration(reply)
    assert "Evaluation:" not in iteration.summary
    assert (iteration.evaluation is None) == ("Evaluation:" not in reply)
    assert "Summary:" not in (iteration.evaluation or "")
    assert not iteration.complete or "[COMPLETE]" in reply


def test_it_stops_when_its_evaluation_says_complete(scripted: Callable[..., Any], bridged: Callable[..., Any]) -> None:
    model = scripted(["Summary: A. Evaluation: no river. [INCOMPLETE]", "Summary: A2. Evaluation: good. [COMPLETE]"])
    record = bridged(compact(), model, TWELVE, "Who?")
    assert text_of(record) == "A2."
    assert record["documents"][0]["sources"] == [f"d{number}" for number in range(10)]
    assert record["parse"] == "ok"
    notes = record["notes"]
    assert (notes["iterations"], notes["complete"], notes["documents_unread"]) == (2, True, 2)
    first, second = model.texts()
    assert "Question: Who?\n\nSource documents: T0 text 0\nT1 text 1\n" in first
    assert first.endswith("T4 text 4\n\nSummary:")
    assert (
        "Previous summary: A.\n\nEvaluation of previous summary: no river.\n\nSource documents: T5 text 5\n" in second
    )
    assert [config.max_tokens for config in model.configs] == [900, 900]


def test_documents_beyond_the_last_iteration_are_counted(
    scripted: Callable[..., Any], bridged: Callable[..., Any]
) -> None:
    model = scripted("Summary: A. Evaluation: B. [INCOMPLETE]")
    record = bridged(compact(segment_size=2, max_iterations=3), model, TWELVE)
    assert (len(model.prompts), record["notes"]["documents_unread"], record["notes"]["complete"]) == (3, 6, False)


@pytest.mark.parametrize(
    ("option", "calls", "text", "parse"),
    [("continue", 3, "A3.", "repaired"), ("skip", 3, "A3.", "repaired"), ("stop", 2, "A1.", "repaired")],
)
def test_a_missing_evaluation(
    option: str, calls: int, text: str, parse: str, scripted: Callable[..., Any], bridged: Callable[..., Any]
) -> None:
    model = scripted(["Summary: A1. Evaluation: B. [INCOMPLETE]", "A2.", "Summary: A3. Evaluation: C. [COMPLETE]"])
    record = bridged(compact(missing_evaluation=option), model, TWELVE)
    assert (len(model.prompts), text_of(record), record["parse"]) == (calls, text, parse)
    assert record["notes"]["evaluations_missing"] == 1
    if calls == 3:
        assert f"Previous summary: {'A2.' if option == 'continue' else 'A1.'}\n" in model.texts()[2]


@pytest.mark.parametrize("silent", ["", "Summary:", "<think>So, the"])
def test_a_reply_that_says_nothing_does_not_wipe_out_the_summary(
    silent: str, scripted: Callable[..., Any], bridged: Callable[..., Any]
) -> None:
    model = scripted(["Summary: A1. Evaluation: B. [INCOMPLETE]", silent, silent])
    record = bridged(compact(), model, TWELVE)
    assert (text_of(record), record["parse"], record["notes"]["evaluations_missing"]) == ("A1.", "repaired", 2)
    assert "Previous summary: A1.\n\nEvaluation of previous summary: B.\n" in model.texts()[2]
    unreadable = bridged(compact(), scripted(silent), TWELVE, "What?")
    assert (unreadable["documents"], unreadable["parse"]) == ([], "fallback")


def test_nothing_said_at_all_is_an_empty_result(scripted: Callable[..., Any], bridged: Callable[..., Any]) -> None:
    record = bridged(compact(), scripted("Summary: Evaluation: [INCOMPLETE]"), TWELVE)
    assert (record["documents"], record["parse"]) == ([], "empty")
    rescued = bridged(compact(on_empty="originals"), scripted("Summary:"), TWELVE)
    assert len(rescued["documents"]) == 12
    assert rescued["used_originals"]


def test_the_reader_may_get_the_reason_too(scripted: Callable[..., Any], bridged: Callable[..., Any]) -> None:
    model = scripted("Summary: A. Evaluation: It names\nthe town. [COMPLETE]")
    assert text_of(bridged(compact(with_evaluation=True), model, TWELVE)) == "A. It namesthe town."


def test_a_template_needs_both_blocks(tmp_path: Any) -> None:
    path = tmp_path / "mine.jinja"
    path.write_text("{% block first %}{{ question }}{{ documents }}{% endblock %}", encoding="utf-8")
    with pytest.raises(BridgebenchError, match="has no block 'next'"):
        compact(template=str(path))
