"""Between Inspect's messages and settings, and what is asked of and answered by a batch."""

from collections.abc import Mapping, Sequence
from typing import Annotated

from inspect_ai.model import (
    ChatCompletionChoice,
    ChatMessage,
    ChatMessageAssistant,
    GenerateConfig,
    Logprob,
    Logprobs,
    ModelOutput,
    ModelUsage,
    StopDetails,
    StopReason,
    TopLogprob,
)
from pydantic import BaseModel, Field, ValidationError

from bridgebench.errors import BridgebenchError
from bridgebench.models.generation import Generated, Generation
from bridgebench.models.prefix import common_prefix
from bridgebench.models.sampling import Sampling, TokenLogprob
from bridgebench.models.weights import Weights

UNSUPPORTED: Mapping[str, object] = {
    "best_of": 1,
    "extra_body": {},
    "frequency_penalty": 0,
    "logit_bias": {},
    "num_choices": 1,
    "presence_penalty": 0,
    "response_schema": None,
}
"""Settings that change answers and that this provider does not have, each with the value that changes none."""


class _Ranges(BaseModel):
    """What Inspect does not check: an answer of -1 tokens would never end."""

    max_tokens: Annotated[int, Field(ge=0)] | None
    temperature: Annotated[float, Field(ge=0)] | None
    top_p: Annotated[float, Field(gt=0, le=1)] | None
    top_k: Annotated[int, Field(ge=1)] | None
    stop_seqs: list[Annotated[str, Field(min_length=1)]] | None


def refuse_unsupported(config: GenerateConfig) -> None:
    """Refuse settings that would otherwise be ignored in silence, and values that mean nothing.

    Raises:
        BridgebenchError: Naming them.
    """
    asked = [name for name, idle in UNSUPPORTED.items() if getattr(config, name) not in (None, idle)]
    if asked:
        raise BridgebenchError(f"local/ does not support {', '.join(asked)}")
    try:
        _Ranges.model_validate(config, from_attributes=True)
    except ValidationError as error:
        problems = [f"{'.'.join(map(str, problem['loc']))}: {problem['msg']}" for problem in error.errors()]
        raise BridgebenchError(f"local/: {'; '.join(problems)}") from error


def to_generation(
    weights: Weights, messages: Sequence[ChatMessage], config: GenerateConfig, max_tokens: int
) -> Generation:
    """What is asked of the model.

    With ``prompt_logprobs`` set, the last message must be the assistant's: its text is scored given the chat before
    it, exactly as a generated answer would stand there, without an end token; nothing is generated.

    Args:
        weights: The model.
        messages: Text only.
        config: Inspect's settings.
        max_tokens: New tokens when `config` says nothing.

    Raises:
        BridgebenchError: For content or a role that a prompt cannot hold, no answer turn to score, or nothing before
            the answer.
    """
    chat = [_turn(message) for message in messages]
    sampling = Sampling(
        config.temperature or 0.0, config.top_k, 1.0 if config.top_p is None else config.top_p, config.seed
    )
    if config.prompt_logprobs is None:
        top = (config.top_logprobs or 0) if config.logprobs or config.top_logprobs else None
        wanted = max_tokens if config.max_tokens is None else config.max_tokens
        ids = tuple(weights.encode(chat))
        if not ids:
            raise BridgebenchError("local/: the prompt has no tokens: there is nothing to continue")
        return Generation(ids, wanted, sampling, tuple(config.stop_seqs or ()), top)
    if not chat or chat[-1]["role"] != "assistant" or not chat[-1]["content"]:
        raise BridgebenchError("prompt_logprobs: the last message must be the assistant's answer to score")
    before = tuple(weights.encode(chat[:-1]))
    ids = tuple(weights.encode(chat[:-1], chat[-1]["content"]))
    top = config.prompt_logprobs if config.prompt_logprobs > 1 else 0
    scored = len(ids) - common_prefix([before, ids])
    if scored == len(ids):
        raise BridgebenchError("prompt_logprobs: before the answer to score there is no token to score it by")
    return Generation(ids, 0, sampling, top=top, scored=scored)


def _turn(message: ChatMessage) -> dict[str, str]:
    if message.role == "tool":
        raise BridgebenchError("local/ does not support tool messages")
    if not isinstance(message.content, str) and any(
        content.type not in ("text", "reasoning") for content in message.content
    ):
        raise BridgebenchError(f"local/ supports text only; the {message.role} message holds something else")
    return {"role": message.role, "content": message.text}


def to_output(
    weights: Weights,
    model: str,
    asked: Generation,
    generated: Generated,
    stop: StopReason,
    explanation: str | None = None,
) -> ModelOutput:
    """What Inspect is told: counts are of real tokens, without padding, the end token included.

    Args:
        weights: The model.
        model: Its name in logs.
        asked: What was asked of it.
        generated: What came of it.
        stop: Why it stopped.
        explanation: More on why it stopped.
    """
    choice = ChatCompletionChoice(
        message=ChatMessageAssistant(content=generated.text, model=model, source="generate"),
        stop_reason=stop,
        stop_details=StopDetails(type=stop, explanation=explanation) if explanation else None,
        logprobs=_logprobs(weights, generated.logprobs) if asked.top is not None and not asked.scored else None,
        prompt_logprobs=_logprobs(weights, generated.prompt_logprobs) if generated.prompt_logprobs else None,
    )
    read, written = len(asked.ids), len(generated.ids)
    usage = ModelUsage(input_tokens=read, output_tokens=written, total_tokens=read + written)
    return ModelOutput(model=model, choices=[choice], usage=usage)


def _logprobs(weights: Weights, tokens: Sequence[TokenLogprob]) -> Logprobs:
    decode = weights.tokenizer.decode
    return Logprobs(
        content=[
            Logprob(
                token=decode([token.token]),
                logprob=token.logprob,
                top_logprobs=[TopLogprob(token=decode([other]), logprob=logprob) for other, logprob in token.top]
                or None,
            )
            for token in tokens
        ]
    )
