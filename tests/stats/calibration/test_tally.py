"""Counting simulated studies, and the bootstrap candidates against scipy."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from cot_entropy.plan.load import load_plan
from cot_entropy.plan.model import Hypothesis
from cot_entropy.stats.calibration.tally import (
    Brackets,
    Setting,
    Significance,
    _bca_tails,
    bootstrap_brackets,
    tally,
)
from cot_entropy.stats.two_by_two import accuracy_gap

PLAN = load_plan(Path(__file__).parents[3] / "preregistration/plan.yaml").plan


def hypothesis(identifier: str) -> Hypothesis:
    return next(one for one in PLAN.hypotheses if one.id == identifier)


def count(identifier: str, truth: float, low: list[float], high: list[float]):
    brackets = Brackets(np.array(low), np.array(high))
    one = hypothesis(identifier)
    return tally(
        Setting(estimand=one.estimand, n=500, accuracy=0.8, flag_rate=0.5, truth=truth),
        one,
        interval=one.interval,
        reported=brackets,
        deciding=brackets,
        significant=Significance.of(np.array([0.001, 0.02, 0.2, 0.001]), alpha=0.05, cells=6),
        assessable=np.array([True, True, True, False]),
    )


def test_rates_are_over_the_assessable_studies() -> None:
    """Three of four: one above, one around and one above without significance."""
    row = count("H1", 0.0, [1.0, -1.0, 2.0, 5.0], [3.0, 1.0, 4.0, 6.0])
    assert row.studies == 3
    assert row.assessable == 0.75
    assert row.coverage == pytest.approx(1 / 3)
    assert row.missed_above == pytest.approx(2 / 3)
    assert row.interval_supports == pytest.approx(2 / 3)
    assert row.supported == pytest.approx(1 / 3)
    assert row.supported_first_step == pytest.approx(1 / 3)


def test_first_step_of_holm_needs_a_sixth_of_alpha() -> None:
    """Three intervals above 0 with p = 0.001, 0.02 and 0.2: two below 0.05, one below 0.05 / 6."""
    row = count("H1", 0.0, [1.0] * 4, [3.0] * 4)
    assert row.interval_supports == 1.0
    assert row.supported == pytest.approx(2 / 3)
    assert row.supported_first_step == pytest.approx(1 / 3)


def test_limit_is_2_5_percent_and_two_standard_errors() -> None:
    """Over three studies."""
    row = count("H1", 0.0, [-1.0] * 4, [1.0] * 4)
    assert row.false_support_limit == pytest.approx(0.025 + 2 * np.sqrt(0.025 * 0.975 / 3))
    assert row.within_limit is True


@pytest.mark.parametrize(
    ("identifier", "truth", "false"),
    [
        ("H1", 0.0, True),
        ("H1", 5.0, False),
        ("H1", -5.0, True),
        ("H3", 0.0, True),
        ("H3", -0.2, False),
        ("H2", 0.0, False),
        ("H2", 0.1, True),
        ("H2", -0.4, True),
        ("H5", 0.5, True),
        ("H5", 0.6, False),
    ],
)
def test_a_limit_stands_where_the_claim_is_false(
    identifier: str, truth: float, false: bool
) -> None:
    """At the edge or beyond it."""
    row = count(identifier, truth, [-1.0] * 4, [1.0] * 4)
    assert (row.false_support_limit is not None) == false


def test_equivalence_has_5_percent() -> None:
    """Each of the two one-sided tests is at 0.05."""
    row = count("H2", 0.1, [-1.0] * 4, [1.0] * 4)
    assert row.false_support_limit == pytest.approx(0.05 + 2 * np.sqrt(0.05 * 0.95 / 3))


def gap_of_indices(index: np.ndarray, table: np.ndarray) -> float:
    category = np.repeat(np.arange(4), table)[index]
    return float(accuracy_gap(*np.bincount(category, minlength=4).astype(float)))


def test_bca_is_scipys_on_its_own_draws() -> None:
    """Same draws, same bias correction, same acceleration."""
    table = np.array([30, 4, 20, 12])
    result = stats.bootstrap(
        (np.arange(66),),
        lambda index: gap_of_indices(index, table),
        n_resamples=800,
        method="BCa",
        vectorized=False,
        rng=np.random.default_rng(2),
    )
    draws = np.sort(result.bootstrap_distribution)
    tails = _bca_tails(
        table.astype(float),
        lambda tables: accuracy_gap(*np.moveaxis(tables, -1, 0)),
        draws,
        np.array([0.025, 0.975]),
    )
    expected = (result.confidence_interval.low, result.confidence_interval.high)
    assert tuple(np.quantile(draws, tails)) == pytest.approx(expected, abs=1e-9)


def test_multinomial_percentile_interval_is_the_bootstraps() -> None:
    """Resampling counts and resampling questions agree within Monte Carlo error."""
    table = np.array([30, 4, 20, 12])
    expected = stats.bootstrap(
        (np.arange(66),),
        lambda index: gap_of_indices(index, table),
        n_resamples=9999,
        method="percentile",
        vectorized=False,
        rng=np.random.default_rng(2),
    ).confidence_interval
    got = bootstrap_brackets(
        table[None].astype(float),
        lambda tables: accuracy_gap(*np.moveaxis(tables, -1, 0)),
        levels=(0.95,),
        resamples=9999,
        rng=np.random.default_rng(3),
    )["percentile", 0.95]
    assert (got.low[0], got.high[0]) == pytest.approx((expected.low, expected.high), abs=1.2)
