"""R2U: one pass over all documents."""

from collections.abc import Callable
from typing import Any

import pytest
from inspect_ai.model import ModelOutput, get_model

from bridgebench import Document
from bridgebench.solvers.r2u import r2u
from bridgebench.testing import check_bridge

THREE = "Document 1:\nMarsh comes from Tarnholm.\n\nDocument 2:\n[NO_REWRITE]\n\nDocument 3:\nThe Sella is a river."


def read(record: dict[str, Any]) -> list[tuple[str, str, list[str]]]:
    return [(document["title"], document["text"], document["sources"]) for document in record["documents"]]


def test_contract() -> None:
    check_bridge(r2u, roles={"bridge": get_model("fake/r2u", answer="Document 1:\nA.\n\nDocument 2:\n[NO_REWRITE]")})
    check_bridge(r2u, roles={"bridge": get_model("fake/r2u", answer="no label")}, keep_original=True)


def test_rewrites_replace_documents_and_skipped_ones_are_left_out(
    scripted: Callable[..., Any], bridged: Callable[..., Any]
) -> None:
    model = scripted(THREE)
    record = bridged(r2u(), model, question="Who?")
    assert read(record) == [
        ("Ida Marsh", "Marsh comes from Tarnholm.", ["d1"]),
        ("", "The Sella is a river.", ["d3"]),
    ]
    assert record["parse"] == "ok"
    assert {key: record["notes"][key] for key in ("skipped", "missing", "all_skipped")} == {
        "skipped": 1,
        "missing": 0,
        "all_skipped": False,
    }
    (prompt,) = model.texts()
    assert "\nQuestion: Who?\n" in prompt
    assert "\nDocument 2:\nTarnholm\nTarnholm is a town. The river Sella flows through it.\n" in prompt
    assert "\nDocument 3:\nThe Sella rises in the hills.\n" in prompt, "a document without a title is labelled alike"
    (config,) = model.configs
    assert (config.temperature, config.max_tokens, config.seed) == (0.0, 2048, None)


def test_titles_may_be_dropped(scripted: Callable[..., Any], bridged: Callable[..., Any]) -> None:
    assert [title for title, _, _ in read(bridged(r2u(keep_title=False), scripted(THREE)))] == ["", ""]


def test_a_document_that_the_output_does_not_mention_stays_as_it_was(
    scripted: Callable[..., Any], bridged: Callable[..., Any], documents: tuple[Document, ...]
) -> None:
    record = bridged(r2u(), scripted("Document 3:\nThe Sella is a river."))
    assert [text for _, text, _ in read(record)] == [documents[0].text, documents[1].text, "The Sella is a river."]
    assert (record["parse"], record["notes"]["missing"]) == ("repaired", 2)


def test_an_output_that_was_cut_off_is_not_as_specified(
    scripted: Callable[..., Any], bridged: Callable[..., Any]
) -> None:
    cut = ModelOutput.from_content("scripted", THREE.removesuffix(" a river."), stop_reason="max_tokens")
    record = bridged(r2u(), scripted(cut))
    assert read(record)[-1][1] == "The Sella is"
    assert (record["parse"], record["notes"]["missing"], record["notes"]["truncated"]) == ("repaired", 0, 1)


def test_an_output_without_labels_is_one_context_made_of_all(
    scripted: Callable[..., Any], bridged: Callable[..., Any]
) -> None:
    record = bridged(r2u(), scripted("Marsh comes from Tarnholm."))
    assert read(record) == [("", "Marsh comes from Tarnholm.", ["d1", "d2", "d3"])]
    assert record["parse"] == "fallback"


@pytest.mark.parametrize(("on_empty", "count"), [("empty", 0), ("originals", 3)])
def test_all_skipped_follows_the_common_rule(
    on_empty: str, count: int, scripted: Callable[..., Any], bridged: Callable[..., Any]
) -> None:
    output = "\n".join(f"Document {number}: [NO_REWRITE]" for number in (1, 2, 3))
    record = bridged(r2u(on_empty=on_empty), scripted(output))
    assert (len(record["documents"]), record["parse"], record["notes"]["all_skipped"]) == (count, "empty", True)


def test_originals_stand_beside_the_rewrites(
    scripted: Callable[..., Any], bridged: Callable[..., Any], documents: tuple[Document, ...]
) -> None:
    record = bridged(r2u(keep_original=True), scripted(THREE))
    assert [document["id"] for document in record["documents"]] == ["d1#r2u", "d3#r2u", "d1", "d2", "d3"]
    assert record["documents"][3] == documents[1].to_dict()
    kept = bridged(r2u(keep_original=True), scripted("Document 3:\nThe Sella is a river."))
    assert [document["id"] for document in kept["documents"]] == ["d1", "d2", "d3#r2u", "d3"]


def test_the_log_shows_the_prompt_as_reworded(scripted: Callable[..., Any], bridged: Callable[..., Any]) -> None:
    notes = bridged(r2u(), scripted(THREE))["notes"]
    assert notes["prompt"] == "reworded"
    assert notes["template"].startswith("r2u@")
