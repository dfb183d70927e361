"""From logits to the next token, and to the log-probabilities that are reported."""

from collections.abc import Sequence
from dataclasses import dataclass

import torch


@dataclass(frozen=True)
class Sampling:
    """How one prompt's tokens are chosen.

    Attributes:
        temperature: 0 takes the likeliest token; above, logits are divided by it.
        top_k: Sample among this many likeliest tokens; None is all.
        top_p: Sample among the fewest likeliest tokens whose probabilities sum to at least this.
        seed: Of the prompt's own random numbers, so that its batch does not matter; None draws a seed.
    """

    temperature: float = 0.0
    top_k: int | None = None
    top_p: float = 1.0
    seed: int | None = None

    def generator(self) -> torch.Generator:
        """Fresh random numbers for one prompt."""
        generator = torch.Generator()
        if self.seed is None:
            generator.seed()
        else:
            generator.manual_seed(self.seed)
        return generator


@dataclass(frozen=True)
class TokenLogprob:
    """A token's natural log-probability under the model itself: before temperature, top_k and top_p.

    Attributes:
        top: The likeliest tokens at its place with theirs, best first.
    """

    token: int
    logprob: float
    top: tuple[tuple[int, float], ...] = ()


def draw(logits: torch.Tensor, sampling: Sampling, generator: torch.Generator) -> int:
    """A random next token of one prompt.

    Args:
        logits: Of one position.
        sampling: How to draw; its temperature is above 0.
        generator: The prompt's random numbers.
    """
    ranked, tokens = (logits.float().cpu() / sampling.temperature).sort(descending=True, stable=True)
    ranked, tokens = ranked[: sampling.top_k], tokens[: sampling.top_k]
    probabilities = ranked.softmax(dim=0)
    before = probabilities.cumsum(dim=0) - probabilities  # mass of the likelier tokens
    probabilities = probabilities * (before < sampling.top_p)
    return int(tokens[torch.multinomial(probabilities, 1, generator=generator)])


def token_logprobs(logits: torch.Tensor, tokens: Sequence[int], top: int) -> list[TokenLogprob]:
    """Log-probabilities of `tokens`, each under its own position's logits.

    Args:
        logits: Positions x vocabulary.
        tokens: One a position.
        top: Number of likeliest tokens reported beside each.
    """
    logprobs = logits.float().log_softmax(dim=-1)
    chosen = logprobs.gather(1, torch.tensor([tokens], device=logits.device).T).squeeze(1).tolist()
    best = logprobs.topk(top, dim=-1)
    alternatives = [
        tuple(zip(*pair, strict=True)) for pair in zip(best.indices.tolist(), best.values.tolist(), strict=True)
    ]
    return [TokenLogprob(*entry) for entry in zip(tokens, chosen, alternatives, strict=True)]
