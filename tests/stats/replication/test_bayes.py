"""Bayes factors: Table 1 of Pawel and Held 2022, numerical integration, and edges."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import integrate, stats

from cot_entropy.stats.replication.bayes import (
    log_null_bayes_factor,
    log_replication_bayes_factor,
)
from cot_entropy.stats.replication.effects import Effect


@pytest.mark.parametrize(
    ("original", "replication", "against"),
    [
        ((0.226778691550525, 0.0755928946018454), (0.184400291006785, 0.0497518595104995), 0.00211),
        ((0.141926757107812, 0.054232614454664), (0.025792251826568, 0.021652326748721), 9.585),
        ((0.27657049025531, 0.140028008402801), (0.0627861994145097, 0.040961596025952), 3.219),
        ((1.07988209588739, 0.242535625036333), (-0.0985013285629837, 0.114707866935281), 24995.6),
        ((0.2, 0.05), (0.15, 0.04), 1 / 521),
    ],
)
def test_published_factors(
    original: tuple[float, float], replication: tuple[float, float], against: float
) -> None:
    """Four studies of the Social Sciences Replication Project, and BayesRep's example.

    They print BF_0r; ours is BF_r0. The last study's replication has the other sign.
    """
    found = log_replication_bayes_factor(
        Effect(estimate=original[0], error=original[1]),
        Effect(estimate=replication[0], error=replication[1]),
    )
    assert math.exp(-found) == pytest.approx(against, rel=0.003)


@pytest.mark.parametrize(("zo", "zr"), [(2.5, 1.0), (3.0, -1.0), (0.0, 2.0)])
def test_integral_over_the_original_posterior(zo: float, zr: float) -> None:
    """The marginal likelihood by quadrature over the original's posterior."""
    marginal, _ = integrate.quad(
        lambda theta: stats.norm.pdf(theta, zo, 1) * stats.norm.pdf(zr * 0.7, theta, 0.7), -20, 20
    )
    expected = math.log(marginal / stats.norm.pdf(zr * 0.7, 0, 0.7))
    found = log_replication_bayes_factor(
        Effect(estimate=zo, error=1.0), Effect(estimate=zr * 0.7, error=0.7)
    )
    assert found == pytest.approx(expected, abs=1e-6)


def test_evidence_updating() -> None:
    """Ly et al. 2019: the factor of both studies over the original's, as the prior grows wide."""
    original, replication = Effect(estimate=2.0, error=1.0), Effect(estimate=0.8, error=0.5)
    both = Effect(estimate=(2 + 4 * 0.8) / 5, error=math.sqrt(1 / 5))
    wide = 1e4
    expected = log_null_bayes_factor(original, prior_sd=wide) - log_null_bayes_factor(
        both, prior_sd=wide
    )
    assert log_replication_bayes_factor(original, replication) == pytest.approx(expected, abs=1e-5)


def test_an_original_of_zero_only_has_a_spread() -> None:
    """At an original estimate of 0 the factor is even in the replication's sign."""
    original = Effect(estimate=0.0, error=1.0)
    up, down = (
        log_replication_bayes_factor(original, Effect(estimate=sign * 1.5, error=0.5))
        for sign in (1, -1)
    )
    assert up == pytest.approx(down)


@pytest.mark.parametrize(("estimate", "error"), [(0.0, 0.1), (0.2, 0.1), (-0.3, 0.2)])
def test_null_factor_by_integration(estimate: float, error: float) -> None:
    """Against quadrature over the prior N(0, 1)."""
    marginal, _ = integrate.quad(
        lambda theta: stats.norm.pdf(theta) * stats.norm.pdf(estimate, theta, error),
        -8,
        8,
        points=[estimate],
    )
    expected = math.log(stats.norm.pdf(estimate, 0, error) / marginal)
    found = log_null_bayes_factor(Effect(estimate=estimate, error=error), prior_sd=1.0)
    assert found == pytest.approx(expected, abs=1e-7)


def test_unit_information_at_zero() -> None:
    """At an estimate of 0 with error 1/sqrt(n) and prior sd 1, BF_01 is sqrt(n + 1)."""
    for n in (10, 100, 1000):
        found = log_null_bayes_factor(Effect(estimate=0.0, error=1 / math.sqrt(n)), prior_sd=1.0)
        assert math.exp(found) == pytest.approx(np.sqrt(n + 1))


def test_prior_above_zero() -> None:
    """A prior without spread is the null itself."""
    with pytest.raises(ValueError, match="not above 0"):
        log_null_bayes_factor(Effect(estimate=0.0, error=1.0), prior_sd=0.0)
