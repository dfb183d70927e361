"""Calls of the bridge's model: what counts as a reply, what as a failure, and what it costs."""

from collections.abc import Callable
from typing import Any

import pytest
from inspect_ai.model import ChatCompletionChoice, ChatMessageAssistant, ModelOutput, StopReason, get_model

from bridgebench.models.fake import calls
from bridgebench.solvers.llm import Decoding, samples, total_cost, without_reasoning
from bridgebench.solvers.r2u import r2u


def output(text: str, stop_reason: StopReason = "stop", **fields: Any) -> ModelOutput:
    choice = ChatCompletionChoice(message=ChatMessageAssistant(content=text), stop_reason=stop_reason)
    return ModelOutput(model="scripted", choices=[choice], **fields)


@pytest.mark.parametrize(
    ("reply", "message"),
    [
        (output("prompt too long: 9000 tokens", "model_length"), "do not fit the model's context: prompt too long"),
        (output("", "content_filter"), "withheld by a content filter"),
        (output("x", error="refused"), "no reply: refused"),
        (ModelOutput(model="scripted", choices=[]), "no choices"),
        (output("", "unknown"), "an empty reply without a reason"),
    ],
)
def test_a_failing_model_is_an_error_of_the_sample(
    reply: ModelOutput, message: str, scripted: Callable[..., Any], evaluate: Callable[..., Any]
) -> None:
    log = evaluate(r2u(), scripted(reply), fail_on_error=False)
    assert log.status == "success"
    (sample,) = log.samples
    assert message in sample.error.message
    assert sample.store == {}


def test_a_blank_reply_that_the_model_ended_is_its_output(
    scripted: Callable[..., Any], bridged: Callable[..., Any]
) -> None:
    record = bridged(r2u(), scripted(output("", "stop")))
    assert (record["parse"], record["notes"]["missing"]) == ("fallback", 3)


def test_truncation_is_counted_and_tokens_are_summed(scripted: Callable[..., Any], bridged: Callable[..., Any]) -> None:
    record = bridged(r2u(), scripted(output("<think>So, first of all", "max_tokens")))
    assert record["notes"]["truncated"] == record["notes"]["thinking_truncated"] == 1
    cost = record["cost"]
    assert (cost["calls"], cost["input_tokens"], cost["output_tokens"]) == (1, 7, 3)
    assert cost["tokenizer"] == "mockllm/bridge"


def test_device_seconds_of_the_local_provider_are_taken(
    scripted: Callable[..., Any], bridged: Callable[..., Any]
) -> None:
    told = {"device_seconds": 0.25, "device": "cpu"}
    record = bridged(r2u(), scripted(output("Document 1: A", metadata=told)))
    assert (record["cost"]["seconds"], record["cost"]["device"]) == (0.25, "cpu")


@pytest.mark.parametrize(
    ("completion", "text"),
    [
        ("plain", "plain"),
        ("<think>a</think> b", "b"),
        ("a</think>b</think>\n c ", "c"),
        ("<think>never closed [1] > [2]", ""),
        ("said before <think>never closed", "said before"),
        ("<think></think>", ""),
    ],
)
def test_reasoning_is_no_part_of_a_reply(completion: str, text: str) -> None:
    assert without_reasoning(completion) == text


def test_seeds_are_drawn_only_where_sampling_is_on() -> None:
    greedy, sampling = Decoding(10), Decoding(10, 0.5, seed=3)
    assert greedy.config().seed is None
    assert (greedy.samples, sampling.samples, samples(None), samples(0)) == (False, True, True, False)
    seeds = [sampling.config(attempt).seed for attempt in (0, 1, 0)]
    assert seeds[0] == seeds[2] != seeds[1]
    assert Decoding(10, 0.5, seed=4).config().seed != seeds[0]


def test_no_calls_cost_nothing() -> None:
    cost = total_cost([])
    assert (cost.calls, cost.input_tokens, cost.tokenizer, cost.device) == (0, None, None, None)


@pytest.mark.parametrize(("temperature", "made"), [(0.0, 1), (0.5, 2)])
def test_epochs_share_a_greedy_bridge_and_not_a_sampling_one(
    temperature: float, made: int, evaluate: Callable[..., Any], scripted: Callable[..., Any]
) -> None:
    model = scripted("Document 1: A\nDocument 2: B\nDocument 3: C")
    evaluate(r2u(temperature=temperature), model, epochs=2)
    assert len(model.prompts) == made
    assert len({config.seed for config in model.configs}) == made


def test_a_sweep_over_generators_makes_the_bridge_calls_of_one(
    evaluate: Callable[..., Any], scripted: Callable[..., Any]
) -> None:
    model = scripted("Document 1: A\nDocument 2: B\nDocument 3: C")
    for name in "abcdefg":
        calls.clear()
        assert evaluate(r2u(), model, model=get_model(f"fake/{name}", memoize=False)).status == "success"
        assert calls[name] == 1
    assert len(model.prompts) == 1
