"""How likely the context makes the gold answer, whatever was generated: the quantity that R2U trains for."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from inspect_ai.model import (
    ChatMessage,
    ChatMessageAssistant,
    ChatMessageUser,
    GenerateConfig,
    Model,
    ModelOutput,
    get_model,
)
from inspect_ai.scorer import Score, Scorer, Target, mean, scorer, stderr
from inspect_ai.solver import TaskState

from bridgebench.errors import BridgebenchError
from bridgebench.scorers.qa_f1 import acceptable_answers
from bridgebench.store import BridgeStore


@dataclass(frozen=True)
class Likelihood:
    """Log-probability of one answer: natural logarithm, summed over its tokens."""

    gold: str
    total: float
    tokens: int


@scorer(
    metrics={
        "log_probability": [mean(), stderr(cluster="cluster")],
        "log_probability_per_token": [mean(), stderr(cluster="cluster")],
    }
)
def utility(extra_body: Mapping[str, Any] | None = None) -> Scorer:
    """Log P(gold | question, documents) under the generator, by the prompt it was given (arXiv 2509.15577, Eq. 7).

    The gold stands as the assistant's turn after the sample's own prompt, and the provider returns the
    log-probability of its tokens (``prompt_logprobs``); one forward pass a gold, nothing is generated.
    ``log_probability`` is the largest total over the golds, ``log_probability_per_token`` that gold's mean a
    token. The change that a bridge makes is the difference from the run of `naive`, question by question:
    `bridgebench.scorers.utility_change`.

    Works with ``local/``, whose ``prompt_logprobs`` are those of the answer turn. A vLLM server returns the whole
    prompt's; it must be told not to close that turn:
    ``extra_body={"continue_final_message": True, "add_generation_prompt": False}``. The answer's tokens are then
    the shortest end of the prompt that spells it.

    Unscored: a sample without a prompt (``no_prompt``), and one whose provider returned no usable
    log-probabilities (``scoring_failed``).
    """

    async def score(state: TaskState, target: Target) -> Score:
        golds = acceptable_answers(state, target)
        prompt = _prompt(state)
        if prompt is None:
            return Score.unscored(reason="no_prompt", explanation="the generator was not asked")
        found: list[Likelihood] = []
        for gold in filter(str.strip, golds):
            output = await _scored(get_model(), prompt, gold, extra_body)
            try:
                found.append(read_likelihood(output, gold))
            except BridgebenchError as error:
                return Score.unscored(reason="scoring_failed", explanation=str(error))
        best = max(found, key=lambda likelihood: likelihood.total)
        return Score(
            value={"log_probability": best.total, "log_probability_per_token": best.total / best.tokens},
            answer=best.gold,
            metadata={"tokens": best.tokens},
        )

    return score


def read_likelihood(output: ModelOutput, gold: str) -> Likelihood:
    """The answer's log-probability in what a provider returned.

    Raises:
        BridgebenchError: When it returned none, only some, or text that does not end in the answer.
    """
    if output.error or not output.choices or output.choices[0].stop_reason == "model_length":
        raise BridgebenchError(f"the provider did not score the prompt: {output.error or 'too long'}")
    logprobs = output.choices[0].prompt_logprobs
    if logprobs is None or not logprobs.content:
        raise BridgebenchError(f"'{output.model}' returned no prompt_logprobs (local/ and vllm/ do)")
    tokens = [(token.token, token.logprob) for token in logprobs.content]
    read = output.usage.input_tokens if output.usage else 0
    # A whole prompt comes without its first token, which nothing precedes; anything shorter is the answer turn alone.
    first = 0 if len(tokens) < read - 1 else _start_of(gold, [text for text, _ in tokens])
    return Likelihood(gold, sum(logprob for _, logprob in tokens[first:]), len(tokens) - first)


def _start_of(gold: str, texts: Sequence[str]) -> int:
    spelled = ""
    for index in reversed(range(len(texts))):
        spelled = texts[index] + spelled
        if spelled.endswith(gold):
            return index
        if len(spelled) >= len(gold):
            break
    raise BridgebenchError(f"the scored prompt does not end in the answer {gold!r:.80}")


def _prompt(state: TaskState) -> list[ChatMessage] | None:
    """The messages that the generator answered; None when it was not asked."""
    store = state.store_as(BridgeStore)
    if not store.prompt or store.answered_by != "generator":
        return None
    last = max((i for i, message in enumerate(state.messages) if isinstance(message, ChatMessageUser)), default=None)
    return None if last is None else list(state.messages[: last + 1])


async def _scored(
    model: Model, prompt: Sequence[ChatMessage], gold: str, extra_body: Mapping[str, Any] | None
) -> ModelOutput:
    config = GenerateConfig(prompt_logprobs=1, max_tokens=1, temperature=0.0)
    if extra_body:
        config.extra_body = dict(extra_body)
    return await model.generate([*prompt, ChatMessageAssistant(content=gold)], config=config)
