"""Statistics against hand computations, exhaustive enumeration and scipy."""

import itertools

import numpy as np
import pytest

from bridgebench.leaderboard import statistics


def column(*values: float) -> np.ndarray:
    return np.array(values, dtype=float)[:, None]


def test_epochs_are_averaged_within_a_question() -> None:
    ids, means = statistics.average_epochs(["b", "a", "b", "a", "c"], [1.0, 0.0, 0.0, np.nan, np.nan])
    assert list(ids) == ["a", "b", "c"]
    assert means[:2].tolist() == [0.0, 0.5]
    assert np.isnan(means[2])


def test_bootstrap_agrees_with_scipy() -> None:
    stats = pytest.importorskip("scipy.stats", reason="scipy is not installed")
    values = np.random.default_rng(3).normal(0.1, 1, 300)
    ours = statistics.interval(statistics.bootstrap_means(values[:, None]))[:, 0]
    theirs = stats.bootstrap((values,), np.mean, method="percentile", n_resamples=10_000, rng=1).confidence_interval
    assert ours == pytest.approx([theirs.low, theirs.high], abs=0.01)


def test_bootstrap_uses_only_the_scored_questions_of_each_column() -> None:
    values = np.array([[1.0, np.nan], [0.0, 5.0], [1.0, np.nan], [0.0, 5.0]])
    means = statistics.bootstrap_means(values, resamples=2_000)
    assert np.nanmin(means[:, 1]) == np.nanmax(means[:, 1]) == 5.0
    assert np.nanmean(means[:, 0]) == pytest.approx(0.5, abs=0.02)
    assert statistics.interval(means)[:, 1].tolist() == [5.0, 5.0]


def test_clusters_are_resampled_whole() -> None:
    """Ten identical answers about one paragraph are one observation: the interval must not shrink."""
    one_each = np.array([0.0, 1.0, 1.0, 0.0, 1.0, 0.0, 0.0, 1.0])
    copied, clusters = np.repeat(one_each, 10), np.repeat(np.arange(8), 10)
    single = statistics.bootstrap_means(one_each[:, None])
    whole = statistics.bootstrap_means(copied[:, None], clusters)
    assert np.array_equal(single, whole)
    ignoring = statistics.bootstrap_means(copied[:, None])
    assert ignoring.std() < 0.5 * whole.std()


def test_one_question_has_no_interval() -> None:
    values = np.array([[1.0, 1.0, np.nan], [np.nan, 0.0, 1.0]])
    low, high = statistics.interval(statistics.bootstrap_means(values, resamples=500))
    assert np.isnan(low).tolist() == np.isnan(high).tolist() == [True, False, True]
    assert np.isnan(statistics.bootstrap_means(column(1, 0), ["one", "one"], resamples=10)).all()


def test_clustered_means_weigh_clusters_by_size() -> None:
    means = statistics.bootstrap_means(column(0, 0, 0, 4), ["a", "a", "a", "b"], resamples=4_000)
    assert set(np.unique(means)) == {0.0, 1.0, 4.0}, "aa, ab and bb are the only draws of two clusters"
    assert np.mean(means == 1.0) == pytest.approx(0.5, abs=0.03)


def test_the_same_seed_gives_the_same_numbers_and_another_does_not() -> None:
    values = np.random.default_rng(0).normal(size=(40, 2))
    assert np.array_equal(statistics.bootstrap_means(values, seed=1), statistics.bootstrap_means(values, seed=1))
    assert not np.array_equal(statistics.bootstrap_means(values, seed=1), statistics.bootstrap_means(values, seed=2))


@pytest.mark.parametrize("differences", [[1, 1, 1], [1, -1, 1, 0, 0], [0.5, 0.25, -0.125, 1, 1, 0.3], [2]])
def test_few_differences_are_enumerated_exactly(differences: list[float]) -> None:
    observed = abs(sum(differences))
    flips = [
        abs(sum(s * d for s, d in zip(signs, differences, strict=True)))
        for signs in itertools.product([-1, 1], repeat=len(differences))
    ]
    expected = np.mean([flip >= observed - 1e-12 for flip in flips])
    assert statistics.permutation_test(column(*differences))[0] == pytest.approx(expected)


def test_many_differences_agree_with_scipy() -> None:
    stats = pytest.importorskip("scipy.stats", reason="scipy is not installed")
    differences = np.random.default_rng(5).normal(0.12, 1, 250)
    ours = statistics.permutation_test(differences[:, None])[0]
    theirs = stats.permutation_test((differences,), np.sum, permutation_type="samples", n_resamples=20_000, rng=2)
    assert ours == pytest.approx(theirs.pvalue, abs=0.012)


def test_binary_outcomes_agree_with_the_exact_sign_test() -> None:
    """On discordant pairs of right and wrong answers the sign-flip test is McNemar's exact test."""
    stats = pytest.importorskip("scipy.stats", reason="scipy is not installed")
    differences = np.concatenate([np.ones(9), -np.ones(2), np.zeros(100)])
    assert statistics.permutation_test(differences[:, None])[0] == pytest.approx(stats.binomtest(2, 11).pvalue)


def test_a_cluster_is_flipped_as_one_and_unpaired_questions_do_not_count() -> None:
    values = column(1, 1, 1, 1, np.nan)
    assert statistics.permutation_test(values, ["a", "a", "b", "b", "c"])[0] == pytest.approx(0.5)
    assert statistics.permutation_test(values)[0] == pytest.approx(2 / 16)
    assert statistics.permutation_test(column(0, 0, np.nan))[0] == 1


def test_monte_carlo_p_is_never_zero() -> None:
    p = statistics.permutation_test(np.ones((60, 1)), resamples=999)[0]
    assert p == pytest.approx(1 / 1000)


def test_permutation_test_holds_its_level() -> None:
    """Under the null hypothesis about 5 % of tests fall below 0.05."""
    rng = np.random.default_rng(11)
    p = statistics.permutation_test(rng.normal(size=(80, 600)), resamples=1_000)
    assert 0.03 < np.mean(p < 0.05) < 0.075


def test_holm_by_hand() -> None:
    adjusted = statistics.holm([0.01, 0.04, 0.03, 0.005, np.nan])
    assert adjusted[:4] == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert np.isnan(adjusted[4])
    assert statistics.holm([0.9, 0.8]).tolist() == [1.0, 1.0]
    assert statistics.holm([]).shape == (0,)


def test_rank_intervals_separate_only_what_the_data_separate() -> None:
    rng = np.random.default_rng(2)
    base = rng.normal(size=400)
    values = np.stack([base + 1 + rng.normal(0, 0.1, 400), base, base + rng.normal(0, 0.1, 400)], axis=1)
    assert statistics.rank_intervals(values, resamples=2_000) == [(1, 1), (2, 3), (2, 3)]
    assert statistics.rank_intervals(base[:, None]) == [(1, 1)]


def test_discordant_counts() -> None:
    won, lost = statistics.discordant(column(1, 0.5, -1, 0, np.nan))
    assert (won[0], lost[0]) == (2, 1)
    _, means = statistics.average_epochs(["q"] * 3, np.array([[0.4, 0.8, 0.6], [0.6, 0.8, 0.4]]).T)
    assert means[0, 0] != means[0, 1], "the order of a sum shows in its last digit"
    won, lost = statistics.discordant(means[:, :1] - means[:, 1:])
    assert (won[0], lost[0]) == (0, 0)


def test_minimum_detectable_difference_by_hand_and_by_simulation() -> None:
    differences = column(1, -1, 1, -1, 0, 0)
    sd = np.std(differences, ddof=1)
    found = statistics.minimum_detectable_difference(differences)[0]
    assert found == pytest.approx((1.959964 + 0.841621) * sd / np.sqrt(6), rel=1e-5)
    copies = np.repeat(differences, 5, axis=0)
    clustered = statistics.minimum_detectable_difference(copies, np.repeat(np.arange(6), 5))[0]
    assert clustered == pytest.approx(found), "five copies of each question add nothing"
    assert np.isnan(statistics.minimum_detectable_difference(column(1.0))[0])
    five, same = column(1, 1, 1, 0.5, 1), column(*[1] * 9)
    assert statistics.permutation_test(five)[0] > 0.05, "as sure as five questions can be"
    assert np.isnan(statistics.minimum_detectable_difference(five)[0])
    assert np.isnan(statistics.minimum_detectable_difference(same)[0]), "no error of 0 is known from equal questions"

    rng = np.random.default_rng(4)
    noise = rng.normal(0, 1, (200, 400))
    truth = statistics.minimum_detectable_difference(noise[:, :1])[0]
    power = np.mean(statistics.permutation_test(noise + truth, resamples=500) < 0.05)
    assert power == pytest.approx(0.8, abs=0.1)


def test_unscored_bounds() -> None:
    low, high = statistics.unscored_bounds(column(1, 0, np.nan, np.nan), column(0, 0, 1, 1))
    assert (low[0], high[0]) == (0.25, 0.75)
    low, high = statistics.unscored_bounds(column(1, 0), column(0.5, 0.25), low=-1)
    assert (low[0], high[0]) == ((0.0 - 0.25) / 2, (1.0 + 0.25) / 2), "an epoch without a score counts by its share"


def test_macro_average_weighs_benchmarks_not_questions() -> None:
    small, large = np.ones((2, 1)), np.zeros((98, 1))
    assert statistics.macro_differences([small, large]).sum() == pytest.approx(0.5)
    replicates = statistics.macro_replicates(
        [
            statistics.bootstrap_means(small, resamples=50, seed=1),
            statistics.bootstrap_means(large, resamples=50, seed=2),
        ]
    )
    assert np.all(replicates == 0.5)
    strata = [column(1, 1, np.nan), column(1, -1, 1)]
    weighted = [1 / 2 / 2, 1 / 2 / 2, 1 / 3 / 2, -1 / 3 / 2, 1 / 3 / 2]
    assert statistics.permutation_test(statistics.macro_differences(strata))[0] == pytest.approx(
        statistics.permutation_test(column(*weighted))[0]
    )


def test_an_empty_matrix_is_refused() -> None:
    with pytest.raises(ValueError, match="at least one question"):
        statistics.bootstrap_means(np.empty((0, 1)))
