"""How far a judge agrees with labels, beyond what chance would give."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

RESAMPLES = 2000


@dataclass(frozen=True)
class Agreement:
    """Over the answers whose verdict could be read.

    Attributes:
        n: Number of answers.
        observed: Share on which label and verdict are equal.
        observed_interval: 95 % percentile bootstrap interval over answers.
        kappa: Cohen's kappa; nan where chance alone would give full agreement.
        kappa_interval: As above; resamples without a kappa are left out.
    """

    n: int
    observed: float
    observed_interval: tuple[float, float]
    kappa: float
    kappa_interval: tuple[float, float]


def cohen_kappa(labels: Sequence[str], verdicts: Sequence[str]) -> float:
    """(p_o - p_e) / (1 - p_e), with p_e from the two raters' own shares (Cohen, 1960); nan where p_e is 1."""
    n = len(labels)
    ours, theirs = Counter(labels), Counter(verdicts)
    observed = sum(label == verdict for label, verdict in zip(labels, verdicts, strict=True)) / n
    expected = sum(count * theirs[label] for label, count in ours.items()) / n**2
    return (observed - expected) / (1 - expected) if expected < 1 else float("nan")


def agreement(labels: Sequence[str], verdicts: Sequence[str], seed: int = 0) -> Agreement:
    """Agreement and kappa with bootstrap intervals; at least one answer."""
    pairs = list(zip(labels, verdicts, strict=True))
    draws = np.random.default_rng(seed).integers(len(pairs), size=(RESAMPLES, len(pairs)))
    equal = np.array([label == verdict for label, verdict in pairs])
    kappas = [cohen_kappa(*zip(*(pairs[i] for i in draw), strict=True)) for draw in draws]
    return Agreement(
        n=len(pairs),
        observed=float(equal.mean()),
        observed_interval=_interval(equal[draws].mean(axis=1)),
        kappa=cohen_kappa(labels, verdicts),
        kappa_interval=_interval(np.array(kappas)),
    )


def _interval(values: NDArray[np.float64]) -> tuple[float, float]:
    known = values[~np.isnan(values)]
    if known.size == 0:
        return float("nan"), float("nan")
    low, high = np.quantile(known, [0.025, 0.975])
    return float(low), float(high)
