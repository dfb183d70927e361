"""The `local` provider through Inspect, on a randomly initialised model."""

import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import anyio
import pytest

torch = pytest.importorskip("torch", reason="needs the extra 'local'")

from inspect_ai import Task, eval  # noqa: E402
from inspect_ai.dataset import Sample  # noqa: E402
from inspect_ai.model import (  # noqa: E402
    ChatMessageAssistant,
    ChatMessageTool,
    ChatMessageUser,
    ContentImage,
    GenerateConfig,
    Model,
    ModelOutput,
    get_model,
)
from inspect_ai.scorer import match  # noqa: E402
from inspect_ai.solver import Generate, Solver, TaskState, generate, solver  # noqa: E402

from bridgebench import batching  # noqa: E402
from bridgebench.errors import BridgebenchError  # noqa: E402
from bridgebench.models import provider  # noqa: E402
from bridgebench.models.generation import Generation  # noqa: E402
from bridgebench.models.generation import generate as run_batch  # noqa: E402
from bridgebench.models.local import local  # noqa: E402

assert local  # registers the provider

pytestmark = pytest.mark.anyio

FP32 = {"dtype": "float32", "device": "cpu"}


@pytest.fixture
def model(tiny: Any) -> Model:
    return get_model(f"local/{tiny.path}", memoize=False, **FP32)


class Batches:
    """Stands before `generate`: keeps the sizes of batches.

    The first is held until so many requests are in flight, or until `release`: no test rests on how long things take.
    """

    def __init__(self, in_flight: int = 0) -> None:
        self.sizes: list[int] = []
        self.in_flight = in_flight
        self.started, self.release = threading.Event(), threading.Event()

    def __call__(self, weights: Any, prompts: list[Generation]) -> Any:
        self.sizes.append(len(prompts))
        self.started.set()
        held, give_up = len(self.sizes) == 1, time.monotonic() + 60
        while held and time.monotonic() < give_up:
            held = len(prompts) + waiting() < self.in_flight and not self.release.wait(0.01)
        return run_batch(weights, prompts)


def waiting() -> int:
    """Requests in the queues."""
    return sum(len(batcher._waiting) for batcher in batching._batchers.values())


@pytest.fixture
def batches(monkeypatch: pytest.MonkeyPatch) -> Callable[[int], Batches]:
    """Replaces what queues run; queues of other tests are set aside."""

    def install(in_flight: int = 0) -> Batches:
        recorder = Batches(in_flight)
        monkeypatch.setattr(provider, "generate", recorder)
        monkeypatch.setattr(batching, "_batchers", {})
        return recorder

    return install


async def test_greedy_by_default_with_exact_counts(model: Model, tiny: Any) -> None:
    ids = tiny.weights.encode([{"role": "user", "content": "Who built it?"}])
    expected = run_batch(tiny.weights, [Generation(tuple(ids), 9)])[0]
    output = await model.generate("Who built it?", config=GenerateConfig(max_tokens=9))
    assert output.completion == expected.text
    assert output.stop_reason == "max_tokens"
    assert output.usage is not None
    assert (output.usage.input_tokens, output.usage.output_tokens) == (len(ids), 9)
    assert output.usage.total_tokens == len(ids) + 9
    assert output.choices[0].logprobs is None
    assert output.metadata is not None
    assert output.metadata["device"] == "cpu"
    assert output.metadata["dtype"] == "float32"
    assert output.metadata["device_seconds"] > 0


async def test_counts_are_exact_in_a_mixed_batch_too(model: Model, tiny: Any, batches: Any) -> None:
    recorder = batches(4)
    questions = ["Who?", "Which river does the bridge of Velmora cross, and who built it?", "Is Tarn larger?"]
    outputs: dict[str, ModelOutput] = {}

    async def ask(question: str, new: int) -> None:
        outputs[question] = await model.generate(question, config=GenerateConfig(max_tokens=new))

    async with anyio.create_task_group() as group:
        group.start_soon(ask, "first, so that the others wait", 1)
        await anyio.to_thread.run_sync(recorder.started.wait, 10)
        for new, question in enumerate(questions, start=4):
            group.start_soon(ask, question, new)
    assert recorder.sizes == [1, 3]
    for new, question in enumerate(questions, start=4):
        usage = outputs[question].usage
        assert usage is not None
        assert usage.input_tokens == len(tiny.weights.encode([{"role": "user", "content": question}]))
        assert usage.output_tokens == new


async def test_settings_reach_the_model(model: Model, tiny: Any) -> None:
    ids = tuple(tiny.weights.encode([{"role": "user", "content": "Who?"}]))
    greedy = run_batch(tiny.weights, [Generation(ids, 12)])[0]
    stop = greedy.text[3:5]
    output = await model.generate("Who?", config=GenerateConfig(max_tokens=12, stop_seqs=[stop]))
    assert output.completion == greedy.text[: greedy.text.index(stop)]
    assert output.stop_reason == "stop"

    hot = GenerateConfig(max_tokens=12, temperature=1.5, seed=5)
    first, second = await model.generate("Who?", config=hot), await model.generate("Who?", config=hot)
    assert first.completion == second.completion != greedy.text
    narrow = GenerateConfig(max_tokens=12, temperature=1.5, top_p=1e-6, seed=5)
    assert (await model.generate("Who?", config=narrow)).completion == greedy.text
    assert (await model.generate("Who?", config=narrow.merge({"top_p": 1.0, "top_k": 1}))).completion == greedy.text


async def test_logprobs(model: Model, tiny: Any) -> None:
    ids = tiny.weights.encode([{"role": "user", "content": "Who?"}])
    output = await model.generate("Who?", config=GenerateConfig(max_tokens=4, logprobs=True, top_logprobs=2))
    [content] = [choice.logprobs.content for choice in output.choices if choice.logprobs]
    assert len(content) == 4
    with torch.inference_mode():
        expected = tiny.weights.model(torch.tensor([ids])).logits[0, -1].log_softmax(-1).topk(2)
    assert content[0].logprob == pytest.approx(float(expected.values[0]), abs=1e-4)
    assert content[0].token == tiny.weights.tokenizer.decode([int(expected.indices[0])])
    assert [top.logprob for top in content[0].top_logprobs or ()] == pytest.approx(expected.values.tolist(), abs=1e-4)
    alone = await model.generate("Who?", config=GenerateConfig(max_tokens=4, logprobs=True))
    assert [entry.top_logprobs for entry in alone.choices[0].logprobs.content] == [None] * 4  # type: ignore[union-attr]


@pytest.mark.parametrize("top", [1, 3])
async def test_prompt_logprobs_score_the_answer_turn(model: Model, tiny: Any, top: int) -> None:
    chat = [{"role": "user", "content": "Who built it?"}]
    answer = "Ida Morrow"
    output = await model.generate(
        [ChatMessageUser(content="Who built it?"), ChatMessageAssistant(content=answer)],
        config=GenerateConfig(prompt_logprobs=top),
    )
    [scored] = [choice.prompt_logprobs.content for choice in output.choices if choice.prompt_logprobs]
    assert "".join(entry.token for entry in scored) == answer
    ids, start = tiny.weights.encode(chat, answer), len(tiny.weights.encode(chat))
    with torch.inference_mode():
        table = tiny.weights.model(torch.tensor([ids])).logits[0].log_softmax(-1)
    wanted = [float(table[place - 1, ids[place]]) for place in range(start, len(ids))]
    assert [entry.logprob for entry in scored] == pytest.approx(wanted, abs=1e-4)
    assert [len(entry.top_logprobs or ()) for entry in scored] == [0 if top == 1 else top] * len(scored)
    assert output.completion == ""
    assert output.usage is not None
    assert (output.usage.input_tokens, output.usage.output_tokens) == (len(ids), 0)


async def test_prompt_logprobs_need_an_answer(model: Model) -> None:
    with pytest.raises(BridgebenchError, match="the last message must be the assistant's answer"):
        await model.generate("Who?", config=GenerateConfig(prompt_logprobs=1))


async def test_an_over_long_prompt_is_model_length_with_the_excess(model: Model, tiny: Any) -> None:
    question = "river " * 300
    length = len(tiny.weights.encode([{"role": "user", "content": question}]))
    output = await model.generate(question)
    assert output.stop_reason == "model_length"
    assert output.completion == ""
    details = output.choices[0].stop_details
    assert details is not None
    assert details.explanation == f"prompt of {length} tokens: {length + 1 - 256} too many for the model's 256"


async def test_an_answer_that_fills_the_context_is_model_length(model: Model, tiny: Any) -> None:
    question = "river"
    while len(tiny.weights.encode([{"role": "user", "content": question + " a"}])) <= 250:
        question += " a"
    room = 256 - len(tiny.weights.encode([{"role": "user", "content": question}]))
    output = await model.generate(question, config=GenerateConfig(max_tokens=room + 20))
    assert output.stop_reason == "model_length"
    assert output.usage is not None
    assert output.usage.output_tokens == room
    assert (await model.generate(question, config=GenerateConfig(max_tokens=room))).stop_reason == "max_tokens"


async def test_a_cancelled_request_leaves_the_queue(model: Model, batches: Any) -> None:
    recorder = batches(99)

    async def cancel_when_queued(scope: anyio.CancelScope) -> None:
        while not waiting():
            await anyio.sleep(0.01)
        scope.cancel()

    async with anyio.create_task_group() as group:
        group.start_soon(model.generate, "first")
        await anyio.to_thread.run_sync(recorder.started.wait, 10)
        with anyio.CancelScope() as scope:
            group.start_soon(cancel_when_queued, scope)
            await model.generate("second")
        recorder.release.set()
    assert scope.cancelled_caught
    await model.generate("third", config=GenerateConfig(max_tokens=1))
    assert recorder.sizes == [1, 1]


@pytest.mark.parametrize(
    ("messages", "config", "problem"),
    [
        ([ChatMessageTool(content="x")], {}, "tool messages"),
        ([ChatMessageUser(content=[ContentImage(image="data:image/png;base64,AA==")])], {}, "text only"),
        ([ChatMessageUser(content="x")], {"presence_penalty": 0.5, "num_choices": 2}, "num_choices, presence_penalty"),
        ([ChatMessageUser(content="x")], {"frequency_penalty": 1.0}, "frequency_penalty"),
        ([ChatMessageUser(content="x")], {"max_tokens": -1}, "max_tokens: Input should be greater"),
        ([ChatMessageUser(content="x")], {"temperature": -1.0}, "temperature: Input should be greater"),
        ([ChatMessageUser(content="x")], {"temperature": 1.0, "top_k": -1}, "top_k: Input should be greater"),
        ([ChatMessageUser(content="x")], {"temperature": 1.0, "top_p": 0.0}, "top_p: Input should be greater"),
        ([ChatMessageUser(content="x")], {"stop_seqs": ["end", ""]}, "stop_seqs.1: String should have at least 1"),
    ],
)
async def test_what_cannot_be_honoured_is_refused(
    model: Model, messages: Any, config: dict[str, Any], problem: str
) -> None:
    with pytest.raises(BridgebenchError, match=problem):
        await model.api.generate(messages, [], "none", GenerateConfig(**config))


async def test_settings_that_change_nothing_are_accepted(model: Model) -> None:
    config = GenerateConfig(max_tokens=1, frequency_penalty=0.0, presence_penalty=0.0, num_choices=1, logit_bias={})
    assert (await model.generate("x", config=config)).usage


@pytest.mark.parametrize(
    ("text", "config", "problem"), [("", {}, "no tokens"), ("x", {"prompt_logprobs": 1}, "before the answer to score")]
)
async def test_a_base_model_continues_no_empty_prompt(
    tiny_model: Any, text: str, config: dict[str, Any], problem: str
) -> None:
    """In a batch its row would be all padding, and its answer that of nothing."""
    model = get_model(f"local/{tiny_model(template=None).path}", memoize=False, **FP32)
    message = ChatMessageAssistant(content=text) if config else ChatMessageUser(content=text)
    with pytest.raises(BridgebenchError, match=problem):
        await model.api.generate([message], [], "none", GenerateConfig(**config))


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        ({"dtypes": "float32"}, "dtypes: Extra inputs are not permitted .known: dtype, device, revision, attn, "),
        ({"dtype": "int4"}, "dtype: Input should be 'auto', 'float32', "),
        ({"batch_size": 0}, "batch_size: Input should be greater"),
    ],
)
def test_wrong_model_arguments_are_refused_before_a_run(tiny: Any, arguments: dict[str, Any], problem: str) -> None:
    with pytest.raises(BridgebenchError, match=problem):
        get_model(f"local/{tiny.path}", memoize=False, **arguments)


def run(tiny: Any, folder: Path, samples: int, chain: Solver, **options: Any) -> Any:
    dataset = [Sample(id=str(n), input=f"Question {n}: {'who? ' * (n % 7)}", target="x") for n in range(samples)]
    [log] = eval(
        Task(dataset, solver=chain, scorer=match()),
        model=f"local/{tiny.path}",
        model_args={**FP32, "batch_size": 64},
        log_dir=str(folder),
        **options,
    )
    return log


def test_batches_fill_under_an_eval(tiny: Any, tmp_path: Path, batches: Any) -> None:
    recorder = batches(41)
    log = run(tiny, tmp_path, 90, generate(), max_tokens=2)
    assert log.status == "success"
    assert sum(recorder.sizes) == 90
    assert max(recorder.sizes) > 20, "adaptive connections would start at 20"
    sizes = [sample.output.metadata["batch"] for sample in log.samples]
    assert max(sizes) == max(recorder.sizes)


def test_the_user_bounds_the_connections(tiny: Any, tmp_path: Path, batches: Any) -> None:
    recorder = batches(5)
    run(tiny, tmp_path, 20, generate(), max_tokens=2, max_connections=5)
    assert 3 <= max(recorder.sizes) <= 5


def test_one_bad_prompt_fails_only_its_own_sample(
    tiny: Any, tmp_path: Path, batches: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    recorder = batches()

    def stumble(weights: Any, prompts: list[Generation]) -> Any:
        if any("Question 3:" in weights.tokenizer.decode(prompt.ids) for prompt in prompts):
            raise RuntimeError("cannot read this one")
        return recorder(weights, prompts)

    monkeypatch.setattr(provider, "generate", stumble)
    log = run(tiny, tmp_path, 12, generate(), max_tokens=3, fail_on_error=False)
    failed = {sample.id: sample.error.message for sample in log.samples if sample.error}
    assert list(failed) == ["3"]
    assert "cannot read this one" in failed["3"]
    assert sum(recorder.sizes) == 11


@solver
def two_providers() -> Solver:
    async def solve(state: TaskState, generate: Generate) -> TaskState:
        other = get_model(str(state.model), memoize=False, batch_size=64, **FP32)
        await other.generate(state.input_text, config=GenerateConfig(max_tokens=2))
        return await generate(state)

    return solve


def test_providers_on_the_same_weights_share_one_queue(tiny: Any, tmp_path: Path, batches: Any) -> None:
    recorder = batches()
    run(tiny, tmp_path, 6, two_providers(), max_tokens=2)
    assert sum(recorder.sizes) == 12
    assert len(batching._batchers) == 1
