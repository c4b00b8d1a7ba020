"""The sceptical p-value: numbers printed by ReplicationSuccess and in the papers, and edges."""

from __future__ import annotations

import math

import pytest
from scipy import optimize, stats

from cot_entropy.stats.replication.effects import Effect
from cot_entropy.stats.replication.sceptical import (
    Recalibration,
    golden_level,
    sceptical_p,
    sceptical_z,
)


def pair(zo: float, zr: float, ratio: float) -> tuple[Effect, Effect]:
    """An original of error 1, a replication with the variance ratio `ratio`."""
    error = 1 / math.sqrt(ratio)
    return Effect(estimate=zo, error=1.0), Effect(estimate=zr * error, error=error)


@pytest.mark.parametrize(("zo", "zr"), [(2, 3), (3, 2)])
def test_z_of_the_documentation(zo: float, zr: float) -> None:
    """zSceptical(zo = 2, zr = 3, c = 2) prints 1.531634, and the same with studies swapped."""
    assert sceptical_z(zo, zr, 2) == pytest.approx(1.531634, abs=5e-7)


@pytest.mark.parametrize(
    ("po", "pr", "ratio", "kind", "printed"),
    [
        (0.01, 0.02, 2.0, "nominal", 0.05790852),
        (0.01, 0.02, 2.0, "golden", 0.02273138),
        (0.02, 0.01, 0.5, "golden", 0.008786301),
    ],
)
def test_p_of_the_documentation(
    po: float, pr: float, ratio: float, kind: Recalibration, printed: float
) -> None:
    """pSceptical of two-sided p-values (p2z), one-sided alternative."""
    zo, zr = (float(stats.norm.isf(p / 2)) for p in (po, pr))
    found = sceptical_p(*pair(zo, zr, ratio), recalibration=kind)
    assert found == pytest.approx(printed, abs=1e-8)


@pytest.mark.parametrize(
    ("zo", "zr", "ratio", "kind", "printed"),
    [
        (4, 4, 0.5, "golden", 4.92521679461104e-05),
        (2, 4, 0.5, "golden", 0.00860230836312371),
        (-2, 4, 0.5, "golden", 0.991397691636876),
        (2, 2, 2.0, "golden", 0.050780864777783),
        (-4, -4, 2.0, "golden", 0.000528949538842483),
        (4, 4, 0.5, "nominal", 0.00110127465875785),
        (2, -4, 2.0, "nominal", 0.953051138195295),
        (0, 4, 2.0, "nominal", 0.5),
        (4, 0, 0.5, "golden", 0.5),
    ],
)
def test_p_of_the_package_tests(
    zo: float, zr: float, ratio: float, kind: Recalibration, printed: float
) -> None:
    """ReplicationSuccess's own test values, opposite signs and z = 0 among them."""
    assert sceptical_p(*pair(zo, zr, ratio), recalibration=kind) == pytest.approx(printed)


def test_example_of_the_paper() -> None:
    """Held 2020: t^2 of 12.19 and 3.99 at equal sizes give a two-sided p of 0.083."""
    z = sceptical_z(math.sqrt(12.19), math.sqrt(3.99), 1)
    assert 2 * stats.norm.sf(z) == pytest.approx(0.083, abs=0.0005)


@pytest.mark.parametrize(("zo", "zr", "ratio"), [(2.5, 2.2, 0.7), (3, 2, 1), (2.4, 4, 3)])
def test_definition_by_root_finding(zo: float, zr: float, ratio: float) -> None:
    """Held's definition: the level at which the replication just conflicts with the sceptic.

    A sceptical prior N(0, tau^2) of variance 1 / (zo^2 / q - 1) (in units of the original's) makes
    the original just not significant at z^2 = q; the replication's estimate, zr / sqrt(ratio), has
    prior-predictive variance tau^2 + 1/ratio. z_S^2 is the q at which its square over that is q.
    """

    def conflict(q: float) -> float:
        prior = 1 / (zo**2 / q - 1)
        return (zr**2 / ratio) / (prior + 1 / ratio) - q

    q = optimize.brentq(conflict, 1e-9, min(zo**2, zr**2) - 1e-9)
    assert sceptical_z(zo, zr, ratio) == pytest.approx(math.sqrt(q), abs=1e-6)


@pytest.mark.parametrize("ratio", [1.0, 1 + 1e-12, 1 - 1e-12])
def test_harmonic_mean_near_ratio_one(ratio: float) -> None:
    """At equal variances z_S^2 is half the harmonic mean, and nothing jumps around it."""
    assert sceptical_z(2, 3, ratio) ** 2 == pytest.approx(1 / (1 / 4 + 1 / 9), rel=1e-9)


@pytest.mark.parametrize(
    ("level", "printed"),
    [
        (0.005, 0.0214341053866183),
        (0.01, 0.0337101730585594),
        (0.05, 0.0979875554462809),
        (0.1, 0.156848832934081),
    ],
)
def test_golden_level(level: float, printed: float) -> None:
    """levelSceptical(type = "golden", alternative = "one.sided") of ReplicationSuccess."""
    assert golden_level(level) == pytest.approx(printed)


def test_golden_property() -> None:
    """A just significant original needs a replication estimate of at least its own size."""
    zo, much = float(stats.norm.isf(0.025)), 1e8
    equal = pair(zo, zo * math.sqrt(much), much)
    smaller = pair(zo, 0.98 * zo * math.sqrt(much), much)
    assert sceptical_p(*equal) == pytest.approx(0.025, abs=1e-4)
    assert sceptical_p(*smaller) > 0.0255


def test_ratio_above_zero() -> None:
    """Variances are positive."""
    with pytest.raises(ValueError, match="not above 0"):
        sceptical_z(2, 2, 0)
