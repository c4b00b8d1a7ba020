"""Spearman's rho from tables agrees with scipy and with arithmetic, resamples included."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest
from scipy import stats

from cot_entropy.stats.rank_correlation import (
    fisher_z,
    permuted_tables,
    rank_table,
    spearman,
)


def sample(seed: int, n: int = 150) -> tuple[np.ndarray, np.ndarray]:
    """A tied signal with missing values, and outcomes that depend on it."""
    rng = np.random.default_rng(seed)
    signal = rng.integers(0, 6, n).astype(float)
    correct = rng.random(n) < 0.8 - 0.1 * signal
    signal[rng.random(n) < 0.1] = np.nan
    return signal, correct


@pytest.mark.parametrize("seed", range(10))
def test_rho_agrees_with_scipy_on_ties_and_missing_values(seed: int) -> None:
    """Midranks over the defined questions."""
    signal, correct = sample(seed)
    table = rank_table(signal, correct)
    used = ~np.isnan(signal)
    expected = stats.spearmanr(signal[used], correct[used]).statistic
    assert spearman(table.right, table.wrong) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("seed", range(5))
def test_resampled_rho_recomputes_the_ranks(seed: int) -> None:
    """Counts times the indicator are the resample's table."""
    signal, correct = sample(seed)
    table = rank_table(signal, correct)
    counts = np.random.default_rng(seed).multinomial(150, np.full(150, 1 / 150), size=4)
    tables = (counts @ table.indicator()).astype(float)
    columns = len(table.levels)
    got = spearman(tables[:, :columns], tables[:, columns:])
    for rho, row in zip(got, counts, strict=True):
        index = np.repeat(np.arange(150), row)
        index = index[~np.isnan(signal[index])]
        assert rho == pytest.approx(stats.spearmanr(signal[index], correct[index]).statistic)


def test_sums_of_equal_entropies_tie() -> None:
    """0.1 + 0.2 and 0.3 are one value."""
    table = rank_table(np.array([0.1 + 0.2, 0.3, 1.0]), np.array([True, False, True]))
    assert len(table.levels) == 2


@pytest.mark.parametrize(
    ("signal", "correct"),
    [([1, 1, 1], [True, False, True]), ([1, 2, 3], [True, True, True]), ([np.nan], [True])],
)
def test_a_constant_side_has_no_rho(signal: list[float], correct: list[bool]) -> None:
    """One value, one outcome, or nothing defined."""
    table = rank_table(np.array(signal, dtype=float), np.array(correct))
    assert np.isnan(spearman(table.right, table.wrong))


def test_permuted_rho_has_the_distribution_of_all_permutations() -> None:
    """Five questions, two right: all 10 ways to place them, compared by share."""
    signal = np.array([0.0, 0.0, 1.0, 2.0, 2.0])
    correct = np.array([True, True, False, False, False])
    exact = [stats.spearmanr(signal, p).statistic for p in set(permutations(correct))]
    values, counts = np.unique(np.round(exact, 9), return_counts=True)
    table = rank_table(signal, correct)
    dealt = permuted_tables(
        table.right, table.wrong, permutations=20_000, rng=np.random.default_rng(0)
    )
    drawn = spearman(*dealt)
    for value, count in zip(values, counts, strict=True):
        share = np.mean(np.isclose(drawn, value, atol=1e-9))
        assert share == pytest.approx(count / 10, abs=4 * np.sqrt(0.25 / 20_000))


@pytest.mark.parametrize("seed", range(5))
def test_standard_error_is_the_delta_methods(seed: int) -> None:
    """The influence of every question by a numerical derivative of rho in its weight."""
    signal, correct = sample(seed)
    table = rank_table(signal, correct)
    n = table.right.sum() + table.wrong.sum()
    population = np.concatenate([table.right, table.wrong]) / n
    step, large = 1e-6, 1e12
    influence = []
    for category in range(len(population)):
        moved = (1 - step) * population
        moved[category] += step
        ends = [spearman(*np.split(shares * large, 2)) for shares in (population, moved)]
        influence.append((ends[1] - ends[0]) / step)
    rho = float(spearman(table.right, table.wrong))
    expected = np.sqrt((population * np.square(influence)).sum() / n) / (1 - rho**2)
    z, error = fisher_z(table.right, table.wrong)
    assert z == pytest.approx(np.arctanh(rho))
    assert error == pytest.approx(expected, rel=1e-4)


def test_standard_error_without_ties_is_near_one_over_root_n_when_independent() -> None:
    """The textbook error of Fisher's z under independence."""
    rng = np.random.default_rng(0)
    table = rank_table(rng.normal(size=4000), rng.random(4000) < 0.5)
    assert fisher_z(table.right, table.wrong)[1] == pytest.approx(1 / np.sqrt(4000), rel=0.03)


def test_constant_side_has_no_standard_error() -> None:
    """One outcome: undefined, without a warning."""
    z, error = fisher_z(np.array([3.0, 2.0]), np.zeros(2))
    assert np.isnan(z)
    assert np.isnan(error)
