"""Paired statistics on questions: intervals, permutation tests, Holm's correction, rank intervals.

Throughout, a matrix has one row a question and one column a system (or a comparison of two); NaN is an
answer that could not be scored. A column uses the questions where it has a value and no others, so paired
differences rest on questions that both systems were scored on. Clusters (questions that share context) are
resampled and flipped as wholes. Everything is deterministic for a given seed.
"""

from collections.abc import Sequence
from functools import lru_cache
from statistics import NormalDist

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]

RESAMPLES = 10_000
BLOCK = 500
"""Resamples held in memory at a time: 500 x 1,000 questions are 4 MB."""


def average_epochs(ids: ArrayLike, values: ArrayLike) -> tuple[NDArray[np.str_], Floats]:
    """Mean over the scored epochs of each question: the question is the unit, not the sample.

    Args:
        ids: Question ids, one a sample.
        values: Scores, shape (samples,) or (samples, columns); NaN is unscored.

    Returns:
        The distinct ids, sorted, and their means, shape (questions,) or (questions, columns); NaN where no
        epoch was scored.
    """
    questions, index = np.unique(np.asarray(ids), return_inverse=True)
    values = np.asarray(values, dtype=float)
    return questions, _ratio(*_totals(values, index, len(questions)))


def bootstrap_means(
    values: ArrayLike, clusters: ArrayLike | None = None, resamples: int = RESAMPLES, seed: int = 0
) -> Floats:
    """Bootstrap replicates of the mean of each column, questions (or clusters) drawn with replacement.

    A replicate is the ratio of resampled sums to resampled sizes, so clusters may differ in size (Davison and
    Hinkley, 1997, section 3.8). All columns share the draws.

    Args:
        values: Shape (questions, columns).
        clusters: Cluster of each question; None resamples questions one by one.
        resamples: Number of replicates.
        seed: Seed of the draws.

    Returns:
        Shape (resamples, columns); NaN where a replicate drew no scored question, and in all of a column that has
        but one question (or cluster), which says nothing of how others would differ.
    """
    sums, sizes = _cluster_totals(values, clusters)
    alike = bool((sizes == sizes[:, :1]).all())  # as a rule: then one column of sizes stands for all
    means = np.empty((resamples, sums.shape[1]))
    for start in range(0, resamples, BLOCK):
        weights = _draws(len(sums), resamples, seed)[start : start + BLOCK].astype(float)
        means[start : start + BLOCK] = _ratio(weights @ sums, weights @ (sizes[:, :1] if alike else sizes))
    means[:, np.count_nonzero(sizes, axis=0) < 2] = np.nan
    return means


@lru_cache(maxsize=4)
def _draws(units: int, resamples: int, seed: int) -> NDArray[np.uint16]:
    """How often each replicate drew each unit; kept, because a table's columns are resampled in several calls."""
    rng = np.random.default_rng(seed)
    counts = np.empty((resamples, units), dtype=np.uint16)
    for start in range(0, resamples, BLOCK):
        block = min(BLOCK, resamples - start)
        drawn = rng.integers(0, units, size=(block, units)) + units * np.arange(block)[:, None]
        counts[start : start + block] = np.bincount(drawn.ravel(), minlength=block * units).reshape(block, units)
    return counts


def interval(replicates: Floats, level: float = 0.95) -> Floats:
    """Percentile interval of bootstrap replicates.

    Args:
        replicates: Shape (resamples, columns).
        level: Coverage aimed at.

    Returns:
        Shape (2, columns): lower and upper ends; NaN where a column has no replicate.
    """
    tail = (1 - level) / 2
    scored = ~np.isnan(replicates)
    if scored.all():
        return np.quantile(replicates, [tail, 1 - tail], axis=0)
    ends = np.full((2, replicates.shape[1]), np.nan)
    for column in np.flatnonzero(scored.any(axis=0)):
        ends[:, column] = np.quantile(replicates[scored[:, column], column], [tail, 1 - tail])
    return ends


def permutation_test(
    differences: ArrayLike, clusters: ArrayLike | None = None, resamples: int = RESAMPLES, seed: int = 0
) -> Floats:
    """Two-sided sign-flip test that the paired differences sum to zero.

    Under the null hypothesis each question's (or cluster's) difference has either sign. Columns with at most
    12 units that differ are enumerated exactly; others use `resamples` random flips and count the observed
    assignment as one of them (Phipson and Smyth, 2010), so p is never 0.

    Args:
        differences: Shape (questions, columns); NaN is an unpaired question.
        clusters: Cluster of each question, flipped as a whole.
        resamples: Random flips.
        seed: Seed of the flips.

    Returns:
        p of each column; 1 where nothing differs.
    """
    sums, _ = _cluster_totals(differences, clusters)
    sums = sums[np.any(sums != 0, axis=1)]
    observed = np.abs(sums.sum(axis=0))
    # Sums of the same terms in another order must count as equal.
    threshold = observed - 1e-9 * (1 + np.abs(sums).sum(axis=0))
    rng = np.random.default_rng(seed)
    as_extreme = np.zeros(sums.shape[1])
    total = sums.sum(axis=0)
    for start in range(0, resamples, BLOCK):
        block = min(BLOCK, resamples - start)
        bits = rng.integers(0, 256, size=(block, -(-len(sums) // 8)), dtype=np.uint8)
        kept = np.unpackbits(bits, axis=1, count=len(sums)).astype(float)
        flipped = 2 * (kept @ sums) - total  # those kept, less those flipped
        as_extreme += np.count_nonzero(np.abs(flipped) >= threshold, axis=0)
    p = (1 + as_extreme) / (1 + resamples)
    for column in np.flatnonzero(np.count_nonzero(sums, axis=0) <= 12):
        units = sums[sums[:, column] != 0, column]
        patterns = np.arange(2 ** len(units))[:, None] >> np.arange(len(units)) & 1
        p[column] = np.mean(np.abs((patterns * 2.0 - 1) @ units) >= threshold[column])
    return p


def holm(p: ArrayLike) -> Floats:
    """Holm's step-down adjustment of the p values of one family; NaN entries are not part of it."""
    p = np.asarray(p, dtype=float)
    adjusted = np.full(p.shape, np.nan)
    members = np.flatnonzero(~np.isnan(p))
    order = members[np.argsort(p[members], kind="stable")]
    steps = p[order] * np.arange(len(order), 0, -1)
    adjusted[order] = np.minimum(1, np.maximum.accumulate(steps)) if len(order) else steps
    return adjusted


def rank_intervals(
    values: ArrayLike,
    clusters: ArrayLike | None = None,
    alpha: float = 0.05,
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> list[tuple[int, int]]:
    """Ranks that each system may hold: (1 + those significantly better, n - those significantly worse).

    All pairs of systems are tested by `permutation_test` and adjusted by Holm over the pairs.

    Args:
        values: Shape (questions, systems).
        clusters: Cluster of each question.
        alpha: Level of the family of pairs.
        resamples: Random flips.
        seed: Seed of the flips.
    """
    values = np.asarray(values, dtype=float)
    systems = values.shape[1]
    first, second = np.triu_indices(systems, k=1)
    differences = values[:, first] - values[:, second]
    better, worse = np.zeros(systems, dtype=int), np.zeros(systems, dtype=int)
    if len(first):
        significant = holm(permutation_test(differences, clusters, resamples, seed)) < alpha
        first_wins = np.nansum(differences, axis=0) > 0
        for pair in np.flatnonzero(significant):
            winner, loser = (first, second) if first_wins[pair] else (second, first)
            worse[winner[pair]] += 1
            better[loser[pair]] += 1
    return [(1 + int(above), systems - int(below)) for above, below in zip(better, worse, strict=True)]


def discordant(differences: ArrayLike) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Questions won and lost in each column; the rest are ties, and only these carry information.

    Means of the same epochs in another order may differ in their last digit: that is a tie.
    """
    differences = np.asarray(differences, dtype=float)
    return np.count_nonzero(differences > 1e-9, axis=0), np.count_nonzero(differences < -1e-9, axis=0)


def minimum_detectable_difference(
    differences: ArrayLike, clusters: ArrayLike | None = None, alpha: float = 0.05, power: float = 0.8
) -> Floats:
    """Smallest true mean difference that a two-sided test at `alpha` would find with probability `power`.

    (z[1 - alpha/2] + z[power]) times the standard error of the mean difference, which is cluster-robust when
    clusters are given. NaN where no difference can be found, since not even units that all agree reach `alpha` in a
    sign-flip test (fewer than six at 0.05), and where all units are equal, which leaves no error to go by.
    """
    sums, sizes = _cluster_totals(differences, clusters)
    total = sizes.sum(axis=0)
    residuals = sums - sizes * _ratio(sums.sum(axis=0), total)
    units = np.count_nonzero(sizes, axis=0)
    error = np.full(total.shape, np.nan)
    known = 2.0 ** (1 - units) <= alpha
    correction = units[known] / (units[known] - 1)
    error[known] = np.sqrt(correction * (residuals[:, known] ** 2).sum(axis=0)) / total[known]
    normal = NormalDist()
    multiple = normal.inv_cdf(1 - alpha / 2) + normal.inv_cdf(power)
    return np.where(error > 0, multiple * error, np.nan)


def unscored_bounds(
    values: ArrayLike, missing: ArrayLike, low: float = 0.0, high: float = 1.0
) -> tuple[Floats, Floats]:
    """Mean of each column if every unscored answer were worth `low`, and if it were worth `high`.

    Args:
        values: Means over the scored epochs of each question, shape (questions, columns).
        missing: Share of each question's epochs without a score, same shape; 1 where `values` is NaN.
        low: What an unscored answer is worth in the first bound.
        high: And in the second.
    """
    missing = np.asarray(missing, dtype=float)
    scored = (1 - missing) * np.nan_to_num(np.asarray(values, dtype=float))
    return (scored + missing * low).mean(axis=0), (scored + missing * high).mean(axis=0)


def macro_replicates(strata: Sequence[Floats]) -> Floats:
    """Replicates of the unweighted mean over strata (benchmarks), each resampled by itself.

    Args:
        strata: One array of `bootstrap_means` a benchmark, of equal shape and from different seeds.
    """
    means: Floats = np.mean(np.stack(strata), axis=0)
    return means


def macro_differences(strata: Sequence[ArrayLike]) -> Floats:
    """Stack per-benchmark differences so that their sum is the macro average difference.

    Each benchmark's questions are divided by its number of paired questions and by the number of benchmarks;
    `permutation_test` of the result tests the macro average, stratified by benchmark.

    Args:
        strata: One (questions, columns) matrix a benchmark.
    """
    scaled = []
    for stratum in strata:
        stratum = np.asarray(stratum, dtype=float)
        pairs = np.count_nonzero(~np.isnan(stratum), axis=0)
        scaled.append(_ratio(stratum, pairs * float(len(strata))))
    return np.concatenate(scaled)


def _cluster_totals(values: ArrayLike, clusters: ArrayLike | None) -> tuple[Floats, Floats]:
    """Sums and numbers of the scored values of each cluster, shape (clusters, columns)."""
    values = np.asarray(values, dtype=float)
    if values.ndim != 2 or len(values) == 0:
        raise ValueError(f"expected a matrix of (questions, columns) with at least one question, got {values.shape}")
    if clusters is None:
        return _totals(values, np.arange(len(values)), len(values))
    names, index = np.unique(np.asarray(clusters), return_inverse=True)
    return _totals(values, index, len(names))


def _totals(values: Floats, index: NDArray[np.int64], groups: int) -> tuple[Floats, Floats]:
    scored = ~np.isnan(values)
    sums, sizes = np.zeros((groups, *values.shape[1:])), np.zeros((groups, *values.shape[1:]))
    np.add.at(sums, index, np.where(scored, values, 0.0))
    np.add.at(sizes, index, scored)
    return sums, sizes


def _ratio(sums: Floats, sizes: Floats) -> Floats:
    sizes = np.broadcast_to(sizes, sums.shape)
    ratio = np.full(sums.shape, np.nan)
    np.divide(sums, sizes, out=ratio, where=sizes > 0)
    return ratio
