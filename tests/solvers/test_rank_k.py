"""Rank-K: reasoning, ties, and thinking that was cut off."""

from collections.abc import Callable
from typing import Any

from inspect_ai.model import ChatCompletionChoice, ChatMessageAssistant, ModelOutput, get_model

from bridgebench import Document
from bridgebench.solvers.rank_k import rank_k
from bridgebench.testing import check_bridge


def cut_off(text: str) -> ModelOutput:
    choice = ChatCompletionChoice(message=ChatMessageAssistant(content=text), stop_reason="max_tokens")
    return ModelOutput(model="scripted", choices=[choice])


def test_contract() -> None:
    check_bridge(rank_k, roles={"bridge": get_model("fake/k", answer="[2] > [1]")})
    check_bridge(rank_k, roles={"bridge": get_model("fake/k", answer="[2] > [1]")}, temperature=0.0)


def test_ties_keep_their_listed_order_and_are_counted(
    scripted: Callable[..., Any], bridged: Callable[..., Any]
) -> None:
    model = scripted("<think>[1] first? No.</think>\nHere:\n[3] = [2] > [1]")
    record = bridged(rank_k(), model)
    assert [document["id"] for document in record["documents"]] == ["d3", "d2", "d1"]
    assert (record["parse"], record["notes"]["ties"]) == ("ok", 1)
    (config,) = model.configs
    assert (config.temperature, config.max_tokens) == (0.5, 8000)
    assert config.seed is not None
    assert model.texts()[0].endswith(
        "[2] Tarnholm Tarnholm is a town. The river Sella flows through it.\n\n[3] The Sella rises in the hills."
    )


def test_thinking_that_was_cut_off_names_no_order(scripted: Callable[..., Any], bridged: Callable[..., Any]) -> None:
    record = bridged(rank_k(), scripted(cut_off("<think>I see [3] > [2], and then")))
    assert [document["id"] for document in record["documents"]] == ["d1", "d2", "d3"]
    assert (record["parse"], record["notes"]["thinking_truncated"], record["notes"]["windows_fallback"]) == (
        "fallback",
        1,
        1,
    )


def test_untagged_thinking_that_ends_in_prose_names_no_order(
    scripted: Callable[..., Any], bridged: Callable[..., Any]
) -> None:
    record = bridged(rank_k(), scripted(cut_off("Passage [2] says more than [1]\nso passage 2 may be the best, but")))
    assert (record["parse"], record["notes"]["truncated"]) == ("fallback", 1)


def test_passages_are_cut_in_words_or_tokens(
    word_tokenizer: str, scripted: Callable[..., Any], bridged: Callable[..., Any]
) -> None:
    documents = [Document("a", "T.", "one two, three four"), Document("b", "", "one")]
    for tokenizer, kept in ((None, "[1] T. one two,\n"), (word_tokenizer, "[1] T. one\n")):
        model = scripted("[1] > [2]")
        record = bridged(rank_k(passage_length=3, tokenizer=tokenizer), model, documents)
        assert kept in model.texts()[0]
        assert record["notes"]["passages_cut"] == 1
    model = scripted("[1] > [2]")
    assert bridged(rank_k(passage_length=None), model, documents)["notes"]["passages_cut"] == 0
    assert "three four" in model.texts()[0]


def test_fifteen_documents_are_one_window(scripted: Callable[..., Any], bridged: Callable[..., Any]) -> None:
    """The released loop starts from its depth of 100 and would first send empty windows."""
    documents = [Document(f"d{number}", "", f"text {number}") for number in range(15)]
    model = scripted(" > ".join(f"[{number}]" for number in range(1, 16)))
    assert bridged(rank_k(), model, documents)["notes"]["windows"] == 1
    assert "[15] text 14" in model.texts()[0]
