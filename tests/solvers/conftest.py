"""A model that answers by a function and keeps what it was asked, and a real evaluation around one solver."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from inspect_ai import Task, eval
from inspect_ai.dataset import Sample
from inspect_ai.log import EvalLog
from inspect_ai.model import ChatMessage, GenerateConfig, Model, ModelOutput, ModelUsage, get_model
from inspect_ai.solver import Solver

from bridgebench import BridgeStore, Document

# a busy machine is no failure
settings.register_profile("solvers", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("solvers")

DOCUMENTS = (
    Document("d1", "Ida Marsh", "Ida Marsh is a painter. She was born in Tarnholm."),
    Document("d2", "Tarnholm", "Tarnholm is a town. The river Sella flows through it."),
    Document("d3", "", "The Sella rises in the hills."),
)


@dataclass
class Scripted:
    """A model for the role ``bridge``.

    Attributes:
        reply: Makes the reply to the messages: a text, or an output of its own.
        prompts: The messages of each call.
        configs: The settings of each call.
    """

    reply: Callable[[list[ChatMessage]], str | ModelOutput]
    prompts: list[list[ChatMessage]] = field(default_factory=list)
    configs: list[GenerateConfig] = field(default_factory=list)

    @cached_property
    def model(self) -> Model:
        """One object, so that the bridge cache knows it again."""

        def output(messages: list[ChatMessage], tools: Any, choice: Any, config: GenerateConfig) -> ModelOutput:
            self.prompts.append(messages)
            self.configs.append(config)
            reply = self.reply(messages)
            if isinstance(reply, str):
                reply = ModelOutput.from_content("scripted", reply)
            reply.usage = ModelUsage(input_tokens=7, output_tokens=3, total_tokens=10)
            return reply

        return get_model("mockllm/bridge", custom_outputs=output, memoize=False)

    def texts(self) -> list[str]:
        """All messages of each call as one text."""
        return ["\n".join(message.text for message in prompt) for prompt in self.prompts]


@pytest.fixture
def scripted() -> Callable[..., Scripted]:
    """Makes a model of a function of the messages, one reply for every call, or a list of replies, one a call."""

    def make(reply: Any) -> Scripted:
        if isinstance(reply, list):
            replies = iter(reply)
            return Scripted(lambda messages: next(replies))
        return Scripted(reply if callable(reply) else lambda messages: reply)

    return make


@pytest.fixture
def evaluate() -> Callable[..., EvalLog]:
    """Evaluates one question with a solver, the scripted model in the role ``bridge``, and a generator of one word."""

    def run(
        solver: Solver,
        bridge: Scripted,
        documents: Sequence[Document] = DOCUMENTS,
        question: str = "Where was Ida Marsh born?",
        **options: Any,
    ) -> EvalLog:
        generator = Scripted(lambda messages: "Tarnholm")
        retrieved = [document.to_dict() for document in documents]
        sample = Sample(id="q1", input=question, target="Tarnholm", metadata={"documents": retrieved})
        (log,) = eval(
            Task([sample]),
            solver=solver,
            model=options.pop("model", None) or generator.model,
            model_roles={"bridge": bridge.model},
            display="none",
            **options,
        )
        return log

    return run


@pytest.fixture
def bridged(evaluate: Callable[..., EvalLog]) -> Callable[..., dict[str, Any]]:
    """The record of the last bridge of such an evaluation, which must succeed."""

    def run(*args: Any, **options: Any) -> dict[str, Any]:
        log = evaluate(*args, **options)
        assert log.status == "success", log.error
        assert log.samples
        return dict(log.samples[0].store_as(BridgeStore).steps[-1])

    return run


@pytest.fixture
def documents() -> tuple[Document, ...]:
    """What the evaluations above retrieve."""
    return DOCUMENTS


@pytest.fixture
def word_tokenizer(tmp_path: Path) -> str:
    """Folder of a tokenizer whose tokens are words and punctuation marks."""
    transformers = pytest.importorskip("transformers", reason="needs the local extra")
    tokenizers = pytest.importorskip("tokenizers")
    tokenizer = tokenizers.Tokenizer(tokenizers.models.WordLevel({"[UNK]": 0}, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = tokenizers.pre_tokenizers.Whitespace()
    folder = tmp_path / "tokenizer"
    transformers.PreTrainedTokenizerFast(tokenizer_object=tokenizer, unk_token="[UNK]").save_pretrained(folder)
    return str(folder)
