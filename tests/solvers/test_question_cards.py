"""Documents as questions and answers."""

from collections.abc import Callable
from typing import Any

from inspect_ai.model import ModelOutput, get_model

from bridgebench.solvers.question_cards import question_cards
from bridgebench.testing import check_bridge

REPLY = "Question: Where was Ida Marsh born?\nAnswer: In Tarnholm."


def test_contract() -> None:
    model = {"bridge": get_model("fake/cards", answer=REPLY)}
    check_bridge(question_cards, roles=model, pairs=1)
    check_bridge(question_cards, roles=model, see_question=True)
    check_bridge(question_cards, roles={"bridge": get_model("fake/nothing", answer="I cannot.")})


def test_each_document_becomes_its_card(scripted: Callable[..., Any], bridged: Callable[..., Any]) -> None:
    model = scripted(REPLY)
    record = bridged(question_cards(pairs=1), model)
    assert [(document["id"], document["title"], document["sources"]) for document in record["documents"]] == [
        ("d1#card", "Ida Marsh", ["d1"]),
        ("d2#card", "Tarnholm", ["d2"]),
        ("d3#card", "", ["d3"]),
    ]
    assert {document["text"] for document in record["documents"]} == {REPLY}
    assert (record["parse"], record["cost"]["calls"], record["notes"]["pairs"]) == ("ok", 3, 3)
    assert not any("Where was Ida Marsh born?" in prompt for prompt in model.texts())


def test_a_document_without_a_readable_card_stays(scripted: Callable[..., Any], bridged: Callable[..., Any]) -> None:
    model = scripted(lambda messages: REPLY if "painter" in messages[-1].text else "1. Where does the Sella flow?")
    record = bridged(question_cards(pairs=1, keep_title=False), model)
    assert [(document["id"], document["title"]) for document in record["documents"]] == [
        ("d1#card", ""),
        ("d2", "Tarnholm"),
        ("d3", ""),
    ]
    assert (record["parse"], record["notes"]["kept_as_they_were"]) == ("repaired", 2)
    record = bridged(question_cards(), scripted("I cannot do that."), cache=False)
    assert (record["parse"], record["notes"]["kept_as_they_were"]) == ("fallback", 3)


def test_questions_without_answers_are_left_out(scripted: Callable[..., Any], bridged: Callable[..., Any]) -> None:
    record = bridged(question_cards(pairs=2), scripted(f"Question: Who is Olof?\n{REPLY}"))
    assert record["documents"][0]["text"] == REPLY
    assert record["parse"] == "repaired"


def test_a_card_that_was_cut_off_is_not_as_specified(scripted: Callable[..., Any], bridged: Callable[..., Any]) -> None:
    cut = ModelOutput.from_content("scripted", REPLY.removesuffix("holm."), stop_reason="max_tokens")
    record = bridged(question_cards(pairs=1), scripted(lambda messages: cut))
    assert (record["parse"], record["notes"]["truncated"]) == ("repaired", 3)


def test_the_question_is_shown_on_request(scripted: Callable[..., Any], bridged: Callable[..., Any]) -> None:
    model = scripted(REPLY)
    bridged(question_cards(pairs=1, see_question=True), model)
    assert all('help to answer "Where was Ida Marsh born?"' in prompt for prompt in model.texts())
