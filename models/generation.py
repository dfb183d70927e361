"""Batched decoding: every prompt has its own sampling, stops and length, and leaves the batch when it is done."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

import torch

from bridgebench.models.prefix import forward, prefill
from bridgebench.models.sampling import Sampling, TokenLogprob, draw, token_logprobs
from bridgebench.models.weights import Weights

Stop = Literal["stop", "max_tokens"]


@dataclass(frozen=True)
class Generation:
    """What is asked for one prompt.

    Attributes:
        ids: Tokens of the prompt; its last `scored` are the answer turn to score.
        max_tokens: Most new tokens; 0 only scores.
        sampling: How tokens are chosen.
        stops: Texts that end the answer; none of them is part of it.
        top: Likeliest tokens to report beside each token; None reports no log-probabilities.
        scored: Tokens at the end of the prompt whose log-probabilities given what precedes them are wanted.
    """

    ids: tuple[int, ...]
    max_tokens: int
    sampling: Sampling = Sampling()
    stops: tuple[str, ...] = ()
    top: int | None = None
    scored: int = 0


@dataclass
class Generated:
    """What came of one prompt.

    Attributes:
        ids: New tokens, with the end token if there was one.
        text: The answer, without end token and without what follows a stop.
        stop: `stop` for an end token or a stop text, else `max_tokens`.
        logprobs: Of the new tokens, when they were asked for.
        prompt_logprobs: Of the prompt's scored tokens.
    """

    ids: list[int] = field(default_factory=list)
    text: str = ""
    stop: Stop | None = None
    logprobs: list[TokenLogprob] = field(default_factory=list)
    prompt_logprobs: list[TokenLogprob] = field(default_factory=list)


@torch.inference_mode()
def generate(weights: Weights, prompts: Sequence[Generation]) -> list[Generated]:
    """Score and continue prompts as one batch; results are in the same order."""
    keep = 1 + max(prompt.scored for prompt in prompts)
    batch = prefill(weights, [prompt.ids for prompt in prompts], keep)
    rows = active = [_Row(weights, prompt) for prompt in prompts]
    for row, scores in zip(rows, batch.logits, strict=True):
        row.score(scores)
    logits, mask = batch.logits[:, -1].clone(), batch.mask
    del batch.logits
    while True:
        likeliest = logits.argmax(dim=-1).tolist()
        new = [row.step(scores, token) for row, scores, token in zip(active, logits, likeliest, strict=True)]
        going = [index for index, row in enumerate(active) if row.result.stop is None]
        if not going:
            return [row.result for row in rows]
        if len(going) < len(active):
            active, mask = [active[index] for index in going], mask[going]
            batch.cache.batch_select_indices(torch.tensor(going, device=logits.device))
        mask = torch.cat([mask, mask.new_ones(len(active), 1)], dim=1)
        logits = forward(weights, torch.tensor([[new[index]] for index in going]), mask, batch.cache)[:, -1]


class _Row:
    """One prompt on its way through a batch."""

    def __init__(self, weights: Weights, prompt: Generation) -> None:
        self.weights, self.prompt, self.result = weights, prompt, Generated()
        self.random = prompt.sampling.generator()

    def score(self, logits: torch.Tensor) -> None:
        """Take the log-probabilities of the scored tokens.

        Args:
            logits: Of the prompt's last positions; that of the last one belongs to the first new token.
        """
        scored = self.prompt.scored
        if scored:
            self.result.prompt_logprobs = token_logprobs(
                logits[-1 - scored : -1], self.prompt.ids[-scored:], self.prompt.top or 0
            )

    def step(self, logits: torch.Tensor, likeliest: int) -> int:
        """Add the next token, unless the prompt is only scored; returns it."""
        sampling, result = self.prompt.sampling, self.result
        if self.prompt.max_tokens == 0:
            result.stop = "max_tokens"
            return likeliest
        token = draw(logits, sampling, self.random) if sampling.temperature else likeliest
        result.ids.append(token)
        if self.prompt.top is not None:
            result.logprobs += token_logprobs(logits.unsqueeze(0), [token], self.prompt.top)
        ended = token in self.weights.ends
        full = len(result.ids) == self.prompt.max_tokens
        if ended or full or self.prompt.stops:
            text = self.weights.tokenizer.decode(
                result.ids[:-1] if ended else result.ids, skip_special_tokens=True, clean_up_tokenization_spaces=False
            )
            cuts = [text.index(stop) for stop in self.prompt.stops if stop in text]
            result.text = text[: min(cuts)] if cuts else text
            result.stop = "stop" if ended or cuts else "max_tokens" if full else None
        return token
