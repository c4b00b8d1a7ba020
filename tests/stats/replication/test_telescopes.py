"""Small telescopes: independent root finding, Simonsohn's 2.5 rule, and edges."""

from __future__ import annotations

import math

import pytest

from cot_entropy.stats.replication.effects import Effect
from cot_entropy.stats.replication.telescopes import detectable_effect, smaller_than_detectable

THIRD = 1 / 3


def phi(x: float) -> float:
    return 0.5 * math.erfc(-x / math.sqrt(2))


def power(shift: float, critical: float) -> float:
    return phi(shift - critical) + phi(-shift - critical)


@pytest.mark.parametrize(
    ("wanted", "critical", "alpha"),
    [(1 / 3, 1.959964, 0.05), (0.5, 1.959964, 0.05), (0.8, 1.959964, 0.05), (0.8, 2.575829, 0.01)],
)
def test_detectable_effect_has_its_power(wanted: float, critical: float, alpha: float) -> None:
    """Its two-sided power, from the error function, is the one asked for."""
    shift = detectable_effect(1.0, power=wanted, alpha=alpha)
    assert power(shift, critical) == pytest.approx(wanted, abs=1e-6)


def test_eighty_percent_is_the_textbook_shift() -> None:
    """80 % power at 5 % two-sided needs 2.80 standard errors (1.96 + 0.84)."""
    assert detectable_effect(1.0, power=0.8) == pytest.approx(2.80, abs=0.005)


def test_it_scales_with_the_error() -> None:
    """Twice the error, twice the effect."""
    assert detectable_effect(2.0, power=THIRD) == pytest.approx(
        2 * detectable_effect(1.0, power=THIRD)
    )


def test_small_effect_near_the_published_one() -> None:
    """Two groups of 20: d33% is 0.50 by Simonsohn's t-test, a little less on the normal scale."""
    assert detectable_effect(math.sqrt(2 / 20), power=THIRD) == pytest.approx(0.50, abs=0.02)


@pytest.mark.parametrize(("times", "wanted"), [(2.5, 0.8), (3.5, 0.9), (4.5, 0.95)])
def test_replications_of_two_and_a_half_times_the_size(times: float, wanted: float) -> None:
    """2.5 times the original's size rejects the small effect with about 80 % power at no effect.

    Simonsohn 2015, supplement 4, for 2.5; the larger sizes follow from the same reasoning.
    """
    error = 1 / math.sqrt(times)
    boundary = detectable_effect(1.0, power=THIRD) - 1.644854 * error
    assert phi(boundary / error) == pytest.approx(wanted, abs=0.025)
    original = Effect(estimate=2.0, error=1.0)
    below = Effect(estimate=boundary - 1e-6, error=error)
    above = Effect(estimate=boundary + 1e-6, error=error)
    assert (smaller_than_detectable(original, below, power=THIRD) or 1) < 0.05
    assert (smaller_than_detectable(original, above, power=THIRD) or 0) > 0.05


def test_mirror_image() -> None:
    """A negative original asks the same of negative replications."""
    up = smaller_than_detectable(
        Effect(estimate=2, error=1), Effect(estimate=0.3, error=0.5), power=THIRD
    )
    down = smaller_than_detectable(
        Effect(estimate=-2, error=1), Effect(estimate=-0.3, error=0.5), power=THIRD
    )
    assert up == pytest.approx(down)


def test_opposite_sign_is_small() -> None:
    """A replication of the other direction is below the small effect."""
    found = smaller_than_detectable(
        Effect(estimate=2, error=1), Effect(estimate=-2, error=1), power=THIRD
    )
    assert found is not None
    assert found < 0.001


def test_no_direction() -> None:
    """An original estimate of 0 names none."""
    assert (
        smaller_than_detectable(
            Effect(estimate=0, error=1), Effect(estimate=1, error=1), power=THIRD
        )
        is None
    )


@pytest.mark.parametrize("bad", [0.05, 0.01, 1.0])
def test_power_between_alpha_and_one(bad: float) -> None:
    """No effect has less power than alpha, none has all."""
    with pytest.raises(ValueError, match="does not lie between"):
        detectable_effect(1.0, power=bad)
