"""Effects and their errors: against published counts, statsmodels and simulation."""

from __future__ import annotations

import math

import numpy as np
import pytest
from statsmodels.stats.contingency_tables import Table2x2

from cot_entropy.stats.rank_correlation import spearman
from cot_entropy.stats.replication.effects import (
    Effect,
    gap_effect,
    log_odds_effect,
    rho_approximation,
    rho_effect,
)
from cot_entropy.stats.two_by_two import TwoByTwo

TABLES = [(152, 69, 37, 42), (837, 61, 344, 77), (86, 49, 111, 254)]


def table(counts: tuple[int, int, int, int]) -> TwoByTwo:
    return TwoByTwo.of(counts)


def test_gap_of_the_pilot() -> None:
    """152 of 221 v 37 of 79 right is the printed gap of 21.9 points."""
    effect = gap_effect(table(TABLES[0]))
    assert effect is not None
    assert effect.estimate == pytest.approx(21.9, abs=0.05)


@pytest.mark.parametrize("counts", TABLES)
def test_gap_error_is_the_spread_of_simulated_studies(counts: tuple[int, int, int, int]) -> None:
    """Wald's error is the standard deviation of the gap over two binomial counts."""
    a, b, c, d = counts
    rng = np.random.default_rng(1)
    first = rng.binomial(a + b, a / (a + b), 200_000) / (a + b)
    second = rng.binomial(c + d, c / (c + d), 200_000) / (c + d)
    effect = gap_effect(table(counts))
    assert effect is not None
    assert effect.error == pytest.approx(100 * np.std(first - second), rel=0.01)


@pytest.mark.parametrize("counts", TABLES)
def test_log_odds_and_error_are_those_of_statsmodels(counts: tuple[int, int, int, int]) -> None:
    """Table2x2 has the same log odds ratio and standard error."""
    a, b, c, d = counts
    theirs = Table2x2(np.array([[a, b], [c, d]]))
    effect = log_odds_effect(table(counts))
    assert effect is not None
    assert effect.estimate == pytest.approx(theirs.log_oddsratio)
    assert effect.error == pytest.approx(theirs.log_oddsratio_se)


@pytest.mark.parametrize("counts", [(5, 0, 3, 0), (0, 5, 0, 3), (0, 0, 3, 4)])
def test_no_gap_effect_without_an_error(counts: tuple[int, int, int, int]) -> None:
    """All right, all wrong, or an empty group: undefined, not an error of 0."""
    assert gap_effect(table(counts)) is None


def test_no_log_odds_where_a_count_is_zero() -> None:
    """An infinite odds ratio is undefined."""
    assert log_odds_effect(table((10, 0, 5, 5))) is None


def test_rho_error_is_the_spread_of_simulated_studies() -> None:
    """The error of atanh(rho) is its standard deviation over multinomial samples."""
    right, wrong = np.array([500.0, 150, 40, 10]), np.array([40.0, 30, 20, 10])
    effect = rho_effect(right, wrong)
    assert effect is not None
    counts = np.concatenate([right, wrong])
    drawn = np.random.default_rng(2).multinomial(800, counts / counts.sum(), 20_000).astype(float)
    spread = np.std(np.arctanh(spearman(drawn[:, :4], drawn[:, 4:])))
    assert effect.error == pytest.approx(spread, rel=0.03)


def test_no_rho_effect_where_the_outcome_is_constant() -> None:
    """All right: rho is undefined."""
    assert rho_effect(np.array([3.0, 4.0]), np.zeros(2)) is None


def test_approximation_is_fishers() -> None:
    """n = 103 and rho = 0.5: 0.5493 and 1/10, as in textbooks."""
    effect = rho_approximation(0.5, 103)
    assert effect.estimate == pytest.approx(0.5493, abs=5e-5)
    assert effect.error == pytest.approx(0.1)


def test_interval_and_p_of_the_normal() -> None:
    """1.96 errors: p 0.05, and the 95 % interval ends at 0."""
    effect = Effect(estimate=1.959964, error=1.0)
    assert effect.p_value == pytest.approx(0.05, abs=1e-6)
    assert effect.interval(0.95).low == pytest.approx(0, abs=1e-6)


@pytest.mark.parametrize(("estimate", "error"), [(1.0, 0.0), (math.nan, 1.0), (1.0, math.inf)])
def test_an_effect_has_a_positive_error(estimate: float, error: float) -> None:
    """A number without an error is no effect."""
    with pytest.raises(ValueError, match="no effect"):
        Effect(estimate=estimate, error=error)
