"""Means and paired differences of the columns of a table, with all that tells how sure they are."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bridgebench.leaderboard import statistics
from bridgebench.leaderboard.questions import Questions


@dataclass(frozen=True)
class Estimate:
    """A mean over questions, in the metric's own unit (fractions).

    Attributes:
        mean: Mean over the scored questions; NaN where none is.
        low: Lower end of its 95 % bootstrap interval.
        high: Upper end.
        questions: Scored questions.
        unscored: Questions without any scored answer.
        worst: Mean if all unscored answers (of any epoch) were wrong.
        best: Mean if all of them were right.
    """

    mean: float
    low: float
    high: float
    questions: int
    unscored: int
    worst: float
    best: float


@dataclass(frozen=True)
class Difference:
    """A paired mean difference to another row, on the questions that both were scored on.

    Attributes:
        against: Label of the other row.
        mean: Mean difference.
        low: Lower end of its 95 % bootstrap interval.
        high: Upper end.
        p: Of the paired permutation test; None where it is post hoc, not of the headline metric, or nothing is paired.
        adjusted: Holm's p over all bridges of the table; None outside that family.
        pairs: Questions compared.
        unpaired: Questions that only one of the two was scored on.
        won: Questions where this row is better.
        lost: Questions where it is worse.
        detectable: Smallest difference that a test at 0.05 would find with probability 0.8.
    """

    against: str
    mean: float
    low: float
    high: float
    p: float | None
    adjusted: float | None
    pairs: int
    unpaired: int
    won: int
    lost: int
    detectable: float

    @property
    def significant(self) -> bool:
        """Whether the difference stands after Holm's correction at 0.05."""
        return self.adjusted is not None and self.adjusted < 0.05


def estimates_of(
    values: statistics.Floats,
    asked: NDArray[np.bool_],
    clusters: NDArray[np.int64] | None = None,
    resamples: int = 0,
    missing: statistics.Floats | None = None,
    wrong: float = 0.0,
    right: float = 1.0,
) -> list[Estimate]:
    """One estimate a column.

    Args:
        values: Shape (questions, cells).
        asked: Which cell was asked which question, same shape.
        clusters: Cluster of each question.
        resamples: Bootstrap replicates; 0 leaves the intervals out.
        missing: Share of each question's epochs without a score, same shape; None is none or all of them.
        wrong: What a wrong answer is worth.
        right: What a right one is worth.
    """
    scored = np.count_nonzero(~np.isnan(values), axis=0)
    means = np.divide(np.nansum(values, axis=0), scored, out=np.full(len(scored), np.nan), where=scored > 0)
    ends = np.full((2, len(scored)), np.nan)
    if resamples:
        ends = statistics.interval(statistics.bootstrap_means(values, clusters, resamples))
    missing = np.isnan(values).astype(float) if missing is None else missing
    found = []
    for i in range(values.shape[1]):
        own, gaps = (matrix[asked[:, i], i : i + 1] for matrix in (values, missing))
        worst, best = (
            statistics.unscored_bounds(own, gaps, wrong, right) if len(own) else (means[i : i + 1], means[i : i + 1])
        )
        found.append(
            Estimate(
                mean=float(means[i]),
                low=float(ends[0, i]),
                high=float(ends[1, i]),
                questions=int(scored[i]),
                unscored=len(own) - int(scored[i]),
                worst=float(worst[0]),
                best=float(best[0]),
            )
        )
    return found


def differences_of(
    questions: Questions,
    metric: str,
    pairs: Sequence[tuple[int, int]],
    labels: Sequence[str],
    resamples: int,
    family: Sequence[int],
    test: bool = True,
) -> list[Difference]:
    """Paired differences of (row, reference) columns; rows of `family` get Holm's p over that family."""
    values = questions.values[metric]
    rows, columns = [row for row, _ in pairs], [column for _, column in pairs]
    matrix = values[:, rows] - values[:, columns]
    ends = statistics.interval(statistics.bootstrap_means(matrix, questions.clusters, resamples))
    paired = np.count_nonzero(~np.isnan(matrix), axis=0)
    p = adjusted = np.full(len(pairs), np.nan)
    if test:
        p = np.where(paired > 0, statistics.permutation_test(matrix, questions.clusters, resamples), np.nan)
        adjusted = statistics.holm(np.where(np.isin(rows, family), p, np.nan))
    won, lost = statistics.discordant(matrix)
    detectable = statistics.minimum_detectable_difference(matrix, questions.clusters)
    either = np.count_nonzero(~np.isnan(values[:, rows]) | ~np.isnan(values[:, columns]), axis=0)
    with np.errstate(invalid="ignore"):
        means = np.where(paired > 0, np.nansum(matrix, axis=0) / np.maximum(paired, 1), np.nan)
    return [
        Difference(
            against=labels[columns[i]],
            mean=float(means[i]),
            low=float(ends[0, i]),
            high=float(ends[1, i]),
            p=None if np.isnan(p[i]) else float(p[i]),
            adjusted=None if np.isnan(adjusted[i]) else float(adjusted[i]),
            pairs=int(paired[i]),
            unpaired=int(either[i] - paired[i]),
            won=int(won[i]),
            lost=int(lost[i]),
            detectable=float(detectable[i]),
        )
        for i in range(len(pairs))
    ]
