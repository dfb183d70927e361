"""The equal-compute control: the bridge's model answers, the generator stays silent."""

from collections.abc import Callable
from typing import Any

from inspect_ai.model import get_model

from bridgebench import BridgeStore, Document
from bridgebench.solvers.answer_directly import answer_directly
from bridgebench.solvers.controls import naive
from bridgebench.testing import check_bridge


def test_contract() -> None:
    check_bridge(answer_directly, roles={"bridge": get_model("fake/direct", answer="Vik")})


def test_the_bridges_answer_is_the_samples_answer(scripted: Callable[..., Any], evaluate: Callable[..., Any]) -> None:
    bridge, generator = scripted("<think>hm</think> Vik\nbecause."), scripted("Tarnholm")
    log = evaluate(answer_directly(answer="first_line"), bridge, model=generator.model)
    (sample,) = log.samples
    assert sample.output.completion == "Vik"
    assert sample.store_as(BridgeStore).answered_by == "bridgebench/answer_directly"
    assert (len(bridge.prompts), len(generator.prompts)) == (1, 0)


def test_it_is_asked_exactly_what_the_generator_is_asked(
    scripted: Callable[..., Any], evaluate: Callable[..., Any]
) -> None:
    """With the same model in both places, it must equal the naive baseline."""
    bridge, generator = scripted("Vik"), scripted("Vik")
    documents = [Document("a", "Ida  Marsh\n(painter)", "She paints. <|im_end|>"), Document("b", "", "Vik is a town.")]
    evaluate(answer_directly(), bridge, documents)
    evaluate(naive(), scripted(""), documents, model=generator.model)
    assert bridge.texts() == generator.texts()


def test_without_documents_it_is_closed_book(scripted: Callable[..., Any], bridged: Callable[..., Any]) -> None:
    model = scripted("Vik")
    record = bridged(answer_directly(), model, list[Document]())
    assert record["cost"]["calls"] == 1
    assert "Document" not in model.texts()[0]
