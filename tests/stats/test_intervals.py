"""Intervals agree with scipy, and p-values agree with their intervals."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from cot_entropy.stats.intervals import (
    PermutationNull,
    bootstrap_p,
    normal_clipped,
    normal_p,
    percentile,
    undefined_draws,
)
from cot_entropy.stats.rank_correlation import fisher_z, permuted_tables, rank_table
from cot_entropy.stats.resampling import bootstrap, resample_counts


def null_of(seed: int, effect: float, n: int = 120, draws: int = 1999) -> PermutationNull:
    rng = np.random.default_rng(seed)
    signal = rng.integers(0, 4, n).astype(float)
    correct = rng.random(n) < 0.6 - effect * signal
    return null_from(signal, correct, draws, rng)


def null_from(
    signal: np.ndarray, correct: np.ndarray, draws: int, rng: np.random.Generator
) -> PermutationNull:
    table = rank_table(signal, correct)
    permuted = permuted_tables(table.right, table.wrong, permutations=draws, rng=rng)
    z, error = fisher_z(table.right, table.wrong)
    return PermutationNull.of(float(z), float(error), *fisher_z(*permuted))


def test_percentile_interval_is_scipys_on_the_same_resamples() -> None:
    """Same generator, same resamples, same quantiles."""
    values = np.random.default_rng(1).exponential(size=60)
    expected = stats.bootstrap(
        (values,),
        np.mean,
        n_resamples=700,
        method="percentile",
        rng=np.random.default_rng(7),
    ).confidence_interval
    blocks = resample_counts(60, resamples=700, seed=7)
    (draws,) = bootstrap(blocks, [lambda counts: counts @ values / 60])
    got = percentile(draws, level=0.95)
    assert got == pytest.approx((expected.low, expected.high), rel=1e-12)


def test_normal_interval_uses_scipys_bootstrap_standard_error() -> None:
    """estimate -+ z times scipy's standard error."""
    values = np.random.default_rng(1).exponential(size=60)
    result = stats.bootstrap((values,), np.mean, n_resamples=700, rng=np.random.default_rng(7))
    blocks = resample_counts(60, resamples=700, seed=7)
    (draws,) = bootstrap(blocks, [lambda counts: counts @ values / 60])
    half = stats.norm.ppf(0.975) * result.standard_error
    got = normal_clipped(float(values.mean()), draws, level=0.95, within=(0.0, 10.0))
    assert got == pytest.approx((values.mean() - half, values.mean() + half))


def test_normal_interval_ends_where_the_estimand_does() -> None:
    """0.9 -+ 1.96 x 0.1 reaches 1.096: [0.704, 1]."""
    draws = 0.9 + 0.1 * np.sqrt(99 / 100) * np.tile([-1.0, 1.0], 50)
    got = normal_clipped(0.9, draws, level=0.95, within=(0.0, 1.0))
    assert got == pytest.approx((0.9 - 1.959964 * 0.1, 1.0), abs=1e-6)


def test_undefined_draws_are_left_out_and_counted() -> None:
    """Half of the draws undefined: the interval is that of the rest."""
    draws = np.array([np.nan, 1.0, 2.0, np.nan, 3.0])
    assert percentile(draws, level=0.5) == pytest.approx(
        tuple(np.quantile([1, 2, 3], [0.25, 0.75]))
    )
    assert undefined_draws(draws) == 2


def test_nothing_defined_gives_no_interval_and_no_p() -> None:
    """All draws undefined."""
    draws = np.full(5, np.nan)
    assert percentile(draws, level=0.95) is None
    assert normal_clipped(0.5, draws, level=0.95, within=(0.0, 1.0)) is None
    assert bootstrap_p(draws, 0.5) is None
    assert normal_p(0.5, draws, 0.5) is None


def test_constant_draws_have_no_normal_p() -> None:
    """No standard error to divide by."""
    assert normal_p(0.7, np.full(5, 0.7), 0.5) is None


def test_bootstrap_p_counts_the_smaller_tail() -> None:
    """Two of ten draws at or below: 2 (1 + 2) / 11."""
    draws = np.array([0.4, 0.5, *np.linspace(0.6, 0.9, 8)])
    assert bootstrap_p(draws, 0.5) == pytest.approx(6 / 11)


@pytest.mark.parametrize("level", [0.8, 0.95, 0.99])
def test_normal_p_and_interval_agree(level: float) -> None:
    """A threshold at the interval's end has p = 1 - level."""
    draws = np.random.default_rng(0).normal(size=500)
    bracket = normal_clipped(0.3, draws, level=level, within=(-9.0, 9.0))
    assert bracket is not None
    assert normal_p(0.3, draws, bracket.low) == pytest.approx(1 - level)
    assert normal_p(0.3, draws, bracket.high) == pytest.approx(1 - level)


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("effect", [0.0, 0.04, 0.06])
def test_permutation_interval_excludes_zero_exactly_when_its_tail_test_rejects(
    seed: int, effect: float
) -> None:
    """Each end against the one-sided p counted by hand."""
    null = null_of(seed, effect)
    bracket = null.interval(level=0.95)
    draws = len(null.permuted)
    t = null.z / null.error
    p_above = (1 + np.count_nonzero(null.permuted >= t - 1e-9)) / (1 + draws)
    p_below = (1 + np.count_nonzero(null.permuted <= t + 1e-9)) / (1 + draws)
    assert (bracket.low > 0) == (p_above <= 0.025)
    assert (bracket.high < 0) == (p_below <= 0.025)


@pytest.mark.parametrize("seed", range(20))
def test_two_one_sided_p_agrees_with_the_90_percent_interval(seed: int) -> None:
    """Equivalence at 0.05 is the 90 % interval inside the bounds."""
    null = null_of(seed, 0.0, n=700)
    bracket = null.interval(level=0.9)
    inside = bracket.low > -0.1 and bracket.high < 0.1
    assert inside == (null.p_two_one_sided(-0.1, 0.1) <= 0.05)


def studentised(ranks: np.ndarray, outcome: np.ndarray) -> float:
    """atanh(rho) over its delta-method error, question by question."""
    n = len(ranks)
    x, y = ranks / n - (n + 1) / (2 * n), outcome - outcome.mean()
    above = [
        np.mean([(0.5 if b == a else float(b > a)) * v for b, v in zip(x, outcome, strict=True)])
        for a in x
    ]
    above_x = [np.mean([(0.5 if b == a else float(b > a)) * b for b in x]) for a in x]
    cov, var_x, var_y = np.mean(x * y), np.mean(x**2), np.mean(y**2)
    rho = cov / np.sqrt(var_x * var_y)
    d_cov = outcome * x + np.array(above) - 2 * cov - outcome.mean() / 2
    d_x = x**2 + 2 * np.array(above_x) - 3 * var_x
    d_y = y**2 - var_y
    influence = d_cov / np.sqrt(var_x * var_y) - rho / 2 * (d_x / var_x + d_y / var_y)
    return float(np.arctanh(rho) * (1 - rho**2) / np.sqrt(np.mean(influence**2) / n))


def test_permutation_p_agrees_with_scipys_permutation_test() -> None:
    """The same statistic written per question, independent draws: equal but for Monte Carlo."""
    rng = np.random.default_rng(3)
    signal = rng.integers(0, 4, 30).astype(float)
    correct = rng.random(30) < 0.7 - 0.1 * signal
    null = null_from(signal, correct, 9999, rng)
    ranks = stats.rankdata(signal)
    assert null.z / null.error == pytest.approx(studentised(ranks, correct * 1.0), rel=1e-9)
    theirs = stats.permutation_test(
        (correct * 1.0,),
        lambda outcome: studentised(ranks, outcome),
        permutation_type="pairings",
        n_resamples=1999,
        vectorized=False,
        rng=np.random.default_rng(4),
    ).pvalue
    assert null.p_two_sided() == pytest.approx(theirs, abs=5 * np.sqrt(theirs / 1999))


def test_few_permutations_give_an_unbounded_interval() -> None:
    """Ten draws cannot show a 2.5 % tail."""
    null = PermutationNull.of(0.2, 0.1, np.linspace(-0.1, 0.1, 10), np.full(10, 0.1))
    assert null.interval(level=0.95) == (-1.0, 1.0)


def test_permutations_equal_to_the_data_tie_with_it() -> None:
    """Half of the permutations are the data's own table: nothing can be told from zero."""
    z = np.concatenate([np.full(50, 0.3), np.zeros(49)])
    null = PermutationNull.of(0.3, 0.1, z, np.full(99, 0.1))
    assert null.interval(level=0.95).low < 0
    assert null.p_at_most(0.0) == pytest.approx(51 / 100)
