"""Calls of the language model in the role ``bridge``: what was said, what it cost, and when it failed."""

import random
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from inspect_ai.model import ChatMessage, GenerateConfig, Model, ModelOutput, get_model

from bridgebench.document import Cost, Document, Parse
from bridgebench.solvers.step import run_context

Number = TypeVar("Number", int, float)

PADDED = ("hf/",)
"""Providers that report the padded length of a batch as a prompt's tokens: theirs are not counted."""


class ModelCallError(RuntimeError):
    """The bridge's model gave no reply: an error of the sample, never an empty or malformed result."""


@dataclass(frozen=True)
class Decoding:
    """How a bridge's model decodes.

    Attributes:
        max_tokens: Most tokens of a reply.
        temperature: 0 is greedy; None leaves it to the role's own settings.
        seed: Seed of sampling; each epoch and each `attempt` at the same prompt draws another from it.
    """

    max_tokens: int
    temperature: float | None = 0.0
    seed: int = 0

    @property
    def samples(self) -> bool:
        """Whether two runs may differ."""
        return samples(self.temperature)

    def config(self, attempt: int = 0) -> GenerateConfig:
        """As Inspect wants it."""
        if not self.samples:
            return GenerateConfig(max_tokens=self.max_tokens, temperature=self.temperature)
        seed = random.Random(f"{self.seed} {run_context.get().epoch} {attempt}").getrandbits(31)
        return GenerateConfig(max_tokens=self.max_tokens, temperature=self.temperature, seed=seed)


def samples(temperature: float | None, **_: Any) -> bool:
    """For ``@bridge(sampling=...)``: whether a bridge with these arguments may answer differently each time."""
    return temperature != 0


@dataclass(frozen=True)
class Reply:
    """One reply.

    Attributes:
        text: Without reasoning, stripped.
        cost: Of this call.
        truncated: Whether it stopped at ``max_tokens``.
        thinking_truncated: Whether it stopped before its reasoning ended, so that it says nothing.
    """

    text: str
    cost: Cost
    truncated: bool = False
    thinking_truncated: bool = False


async def ask(prompt: str | Sequence[ChatMessage], config: GenerateConfig, model: Model | None = None) -> Reply:
    """Ask a model; by default the one in the role ``bridge``.

    An empty text that the model itself ended is its own output, and left to the bridge's parser.

    Raises:
        ModelCallError: When the prompt is too long, the reply was withheld, or there is none.
    """
    model = model or get_model(role="bridge", required=True)
    output = await model.generate(prompt if isinstance(prompt, str) else list(prompt), config=config)
    if output.empty or output.error:
        raise ModelCallError(f"{model}: no reply: {output.error or 'no choices'}")
    details = output.choices[0].stop_details
    if output.stop_reason == "model_length":  # some servers put the reason where the reply would be
        reason = (details and details.explanation) or output.completion[:200]
        raise ModelCallError(f"{model}: prompt and reply do not fit the model's context: {reason}")
    if output.stop_reason == "content_filter":
        raise ModelCallError(f"{model}: the reply was withheld by a content filter")
    if output.stop_reason == "unknown" and not output.completion.strip():
        raise ModelCallError(f"{model}: an empty reply without a reason")
    text = without_reasoning(output.completion)
    truncated = output.stop_reason == "max_tokens"
    return Reply(text, _cost(model, output), truncated, thinking_truncated=truncated and not text)


def without_reasoning(completion: str) -> str:
    """What follows the last ``</think>``; nothing when a ``<think>`` was never closed."""
    text = completion.rpartition("</think>")[2]
    return re.sub(r"<think>.*", "", text, flags=re.DOTALL).strip()


def _cost(model: Model, output: ModelOutput) -> Cost:
    """Of one call: the `local` provider tells device-seconds and the device; of others, the time until the reply."""
    told = output.metadata or {}
    cost = Cost(seconds=told.get("device_seconds", output.time), calls=1, device=told.get("device"))
    if output.usage is None or str(model).startswith(PADDED):
        return cost
    tokens = output.input_context_tokens, output.usage.output_tokens
    return replace(cost, input_tokens=tokens[0], output_tokens=tokens[1], tokenizer=str(model))


def total_cost(replies: Sequence[Reply]) -> Cost:
    """The sum of the calls; a figure that a call lacks is lacking in the sum."""
    costs = [reply.cost for reply in replies]
    input_tokens = _sum([cost.input_tokens for cost in costs])
    return Cost(
        seconds=_sum([cost.seconds for cost in costs]),
        calls=len(costs),
        input_tokens=input_tokens,
        output_tokens=_sum([cost.output_tokens for cost in costs]),
        tokenizer=costs[0].tokenizer if costs and input_tokens is not None else None,
        device=costs[0].device if costs else None,
    )


def _sum(figures: Sequence[Number | None]) -> Number | None:
    present = [figure for figure in figures if figure is not None]
    return sum(present, start=type(present[0])(0)) if present and len(present) == len(figures) else None


def unless_cut(parse: Parse, replies: Sequence[Reply]) -> Parse:
    """`parse`; ``repaired`` for ``ok`` and ``empty`` where a reply stopped at ``max_tokens``: its end is missing."""
    return "repaired" if parse in ("ok", "empty") and any(reply.truncated for reply in replies) else parse


def reply_notes(replies: Sequence[Reply]) -> dict[str, int]:
    """How many replies stopped at ``max_tokens``, and how many of these inside their reasoning."""
    return {
        "truncated": sum(reply.truncated for reply in replies),
        "thinking_truncated": sum(reply.thinking_truncated for reply in replies),
    }


def all_sources(documents: Sequence[Document]) -> tuple[str, ...]:
    """Ids of all retrieved documents that `documents` were made from: the sources of a text made of them all."""
    return tuple(dict.fromkeys(source for document in documents for source in document.sources))
