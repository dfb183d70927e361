"""RankGPT: a conversation of one turn a passage, or one message."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from inspect_ai.model import get_model

from bridgebench import Document
from bridgebench.solvers.rank_gpt import rank_gpt
from bridgebench.testing import check_bridge

MULTI = """method: multiturn_listwise
system_message: You sort.
prefix_user: "{num} passages for {query}"
prefix_assistant: Go on.
body_user: "[{rank}] {candidate}"
body_assistant: Got [{rank}].
suffix_user: Sort for {query}.
output_validation_regex: x
output_extraction_regex: x
"""


def test_contract() -> None:
    check_bridge(rank_gpt, roles={"bridge": get_model("fake/gpt", answer="[2] > [1]")})


def test_each_passage_is_a_turn_that_the_model_acknowledges(
    scripted: Callable[..., Any], bridged: Callable[..., Any]
) -> None:
    model = scripted("[2] > [3] > [1]")
    record = bridged(rank_gpt(), model)
    assert [document["id"] for document in record["documents"]] == ["d2", "d3", "d1"]
    (prompt,) = model.prompts
    assert [message.role for message in prompt] == ["system", *["user", "assistant"] * 4, "user"]
    assert prompt[3].text == "[1] Title: Ida Marsh Content: Ida Marsh is a painter. She was born in Tarnholm."
    assert "[3]" in prompt[8].text
    assert (record["parse"], record["notes"]["prompt"]) == ("ok", "reworded")


def test_one_message_for_templates_with_strict_turns(scripted: Callable[..., Any], bridged: Callable[..., Any]) -> None:
    model = scripted("[2] > [3] > [1]")
    record = bridged(rank_gpt(template="rank_gpt_single"), model)
    assert [message.role for message in model.prompts[0]] == ["user"]
    assert "\n[2] Title: Tarnholm Content:" in model.texts()[0]
    assert record["notes"]["prompt"] == "reworded"


def test_a_conversation_template_of_rank_llm(
    tmp_path: Path, scripted: Callable[..., Any], bridged: Callable[..., Any]
) -> None:
    path = tmp_path / "mine.yaml"
    path.write_text(MULTI, encoding="utf-8")
    model = scripted("[3] > [2] > [1]")
    record = bridged(rank_gpt(template=str(path)), model, question="Who?")
    assert [(message.role, message.text) for message in model.prompts[0][:3]] == [
        ("system", "You sort."),
        ("user", "3 passages for Who?"),
        ("assistant", "Go on."),
    ]
    assert model.prompts[0][-2].text == "Got [3]."
    assert model.prompts[0][-1].text == "Sort for Who?."
    assert (record["parse"], record["notes"]["prompt"]) == ("ok", "given")


def test_the_window_is_clamped_to_ten_documents(scripted: Callable[..., Any], bridged: Callable[..., Any]) -> None:
    """The original loop makes no call at all for 10 documents and a window of 20."""
    ten = [Document(f"d{number}", "", f"text {number}") for number in range(10)]
    record = bridged(rank_gpt(), scripted(" > ".join(f"[{number}]" for number in range(10, 0, -1))), ten)
    assert [document["id"] for document in record["documents"]] == [f"d{number}" for number in range(9, -1, -1)]
    assert (record["cost"]["calls"], record["parse"]) == (1, "ok")
