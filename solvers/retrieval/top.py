"""The best papers by the scores of their texts; ties by the order of the corpus."""

from typing import Any

import numpy as np
from numpy.typing import NDArray


def paper_scores(scores: NDArray[Any], starts: NDArray[np.int64]) -> NDArray[Any]:
    """Highest score of each paper's texts.

    Args:
        scores: Last axis: texts, those of a paper side by side.
        starts: Position of each paper's first text.
    """
    if len(starts) == scores.shape[-1]:
        return scores
    best: NDArray[Any] = np.maximum.reduceat(scores, starts, axis=-1)
    return best


def top(scores: NDArray[Any], depth: int, digits: int) -> list[int]:
    """Positions of the highest scores, best first, as if all were rounded and sorted in a stable way.

    Args:
        scores: One row; ``-inf`` is never among the best.
        depth: At most so many.
        digits: Decimals that count: scores that are equal but for the order of their sums are ties.
    """
    candidates = np.arange(len(scores))
    if depth < len(scores):
        least = np.partition(scores, len(scores) - depth)[len(scores) - depth]
        # a score below the least can round to as much, and stand before it
        candidates = np.flatnonzero(scores >= least - 10.0**-digits)
    candidates = candidates[scores[candidates] > -np.inf]
    order = np.argsort(-np.round(scores[candidates].astype(np.float64), digits), kind="stable")[:depth]
    return [int(position) for position in candidates[order]]
