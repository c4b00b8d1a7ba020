"""Equivalence and evidence for the null, in each study."""

from __future__ import annotations

import math

import numpy as np
import pytest
from statsmodels.stats.weightstats import ztost

from cot_entropy.stats.replication.effects import Effect, rho_approximation
from cot_entropy.stats.replication.null_claims import equivalence_p, null_evidence


@pytest.mark.parametrize(
    ("estimate", "error", "equivalent"),
    [(0.0, 0.06, True), (0.0, 0.061, False), (0.05, 0.03, True), (0.2, 0.03, False)],
)
def test_equivalent_exactly_where_the_90_interval_is_inside(
    estimate: float, error: float, equivalent: bool
) -> None:
    """p below 0.05 if and only if estimate -+ 1.645 errors lies within -+ 0.1."""
    p = equivalence_p(Effect(estimate=estimate, error=error), -0.1, 0.1)
    inside = abs(estimate) + 1.644854 * error < 0.1
    assert (p < 0.05) is inside is equivalent


@pytest.mark.parametrize("shift", [0.0, 0.1, -0.3])
def test_equivalence_of_a_sample_is_statsmodels(shift: float) -> None:
    """ztost of a sample gives the same larger p."""
    sample = np.random.default_rng(5).normal(shift, 1, 200)
    theirs = ztost(sample, -0.25, 0.25)[0]
    effect = Effect(estimate=sample.mean(), error=sample.std(ddof=1) / math.sqrt(200))
    assert equivalence_p(effect, -0.25, 0.25) == pytest.approx(theirs)


def test_at_the_bound_the_p_is_one_half() -> None:
    """A truth at the bound is rejected with alpha at most: its p is uniform, here 0.5."""
    assert equivalence_p(Effect(estimate=0.1, error=0.01), -0.1, 0.1) == pytest.approx(0.5)


def test_the_pilot_shows_no_equivalence() -> None:
    """Z26's pilot: rho = -0.059 at n = 300 is not significant, and not equivalent either."""
    effect = rho_approximation(-0.059, 300)
    found = null_evidence(effect, -0.1, 0.1, prior_sd=1.0)
    assert effect.p_value == pytest.approx(0.31, abs=0.005)
    assert not found.equivalent(0.05)


def test_a_large_study_at_zero_shows_it() -> None:
    """R26's rho = -0.018 at n = 1319: the upper z is (0.10034 - 0.018) x 36.28 = 2.99."""
    found = null_evidence(rho_approximation(-0.018, 1319), -0.1, 0.1, prior_sd=1.0)
    assert found.equivalence_p == pytest.approx(0.00140, abs=5e-5)
    assert found.favours_null(3.0)


def test_small_studies_favour_nothing() -> None:
    """n = 10 at rho = 0: not significant, not equivalent; BF_01 is sqrt(8), below 3."""
    found = null_evidence(rho_approximation(0.0, 10), -0.1, 0.1, prior_sd=1.0)
    assert not found.equivalent(0.05)
    assert found.bayes_factor == pytest.approx(math.sqrt(8))
    assert not found.favours_null(3.0)


def test_bounds_in_order() -> None:
    """Bounds without room between them are refused."""
    with pytest.raises(ValueError, match="no bounds"):
        equivalence_p(Effect(estimate=0.0, error=1.0), 0.1, 0.1)
