"""What a bridge does to the likelihood of the gold answer, against the documents as they were retrieved."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bridgebench.errors import BridgebenchError


@dataclass(frozen=True)
class UtilityChange:
    """Over the questions that both runs scored.

    Attributes:
        n: Their number.
        mean_log_ratio: Mean of log P(gold | q, d') - log P(gold | q, d), natural logarithm. Never a mean of the
            ratios themselves, which a handful of questions with tiny P(gold | q, d) would decide.
        share_above_zero: Share of questions where the bridge made the gold likelier.
    """

    n: int
    mean_log_ratio: float
    share_above_zero: float


def utility_change(before: Mapping[str, float], after: Mapping[str, float]) -> UtilityChange:
    """Compare two runs of the `utility` scorer, id to ``log_probability``: `before` with naive, `after` with a bridge.

    Raises:
        BridgebenchError: When the runs share no question.
    """
    ratios = np.array([after[id] - before[id] for id in sorted(before.keys() & after.keys())])
    ratios = ratios[~np.isnan(ratios)]
    if ratios.size == 0:
        raise BridgebenchError("utility: the two runs share no scored question")
    return UtilityChange(int(ratios.size), float(ratios.mean()), float((ratios > 0).mean()))


def rank_correlation(one: Mapping[str, float], other: Mapping[str, float]) -> float:
    """Spearman's rank correlation over shared ids, ties at their mean rank: say, of log-ratios with changes in F1.

    Returns:
        nan for fewer than three shared ids, or where either side is constant.
    """
    ids = sorted(id for id in one.keys() & other.keys() if not np.isnan(one[id]) and not np.isnan(other[id]))
    if len(ids) < 3:
        return float("nan")
    ranks = [_ranks([values[id] for id in ids]) for values in (one, other)]
    if any(np.ptp(rank) == 0 for rank in ranks):
        return float("nan")
    return float(np.asarray(np.corrcoef(ranks))[0, 1])


def _ranks(values: list[float]) -> NDArray[np.float64]:
    _, places, counts = np.unique(values, return_inverse=True, return_counts=True)
    mean_ranks = np.asarray(counts.cumsum() - (counts - 1) / 2, dtype=np.float64)
    return mean_ranks[places]
