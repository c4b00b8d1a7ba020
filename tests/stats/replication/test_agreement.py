"""Agreement of two effects: numbers of ReplicationSuccess's documentation and tests, and edges."""

from __future__ import annotations

import math

import numpy as np
import pytest

from cot_entropy.stats.intervals import Bracket
from cot_entropy.stats.replication.agreement import (
    difference,
    inside,
    prediction_interval,
    same_direction,
    significant_alike,
)
from cot_entropy.stats.replication.effects import Effect


def effect(estimate: float, error: float = 1.0) -> Effect:
    return Effect(estimate=estimate, error=error)


@pytest.mark.parametrize(
    ("estimate", "error", "low", "high"),
    [
        (-2, 0.5, -4.19130635144145, 0.191306351441454),
        (0, 0.5, -2.19130635144145, 2.19130635144145),
        (2, 0.5, -0.191306351441454, 4.19130635144145),
        (-2, 2.0, -6.38261270288291, 2.38261270288291),
        (2, 2.0, -2.38261270288291, 6.38261270288291),
    ],
)
def test_prediction_interval_of_replication_success(
    estimate: float, error: float, low: float, high: float
) -> None:
    """predictionInterval(seo = 1, designPrior = "predictive") of ReplicationSuccess 1.3."""
    found = prediction_interval(effect(estimate), replication_error=error, level=0.95)
    assert found == pytest.approx((low, high))


@pytest.mark.parametrize("shift", [0.0, 1.0, -3.0])
def test_prediction_interval_holds_its_level_in_simulation(shift: float) -> None:
    """Both studies of one effect: 95 % of replications fall inside."""
    rng = np.random.default_rng(3)
    original, replication = rng.normal(shift, 1, 20_000), rng.normal(shift, 0.6, 20_000)
    hits = [
        inside(r, prediction_interval(effect(o), replication_error=0.6, level=0.95))
        for o, r in zip(original, replication, strict=True)
    ]
    assert np.mean(hits) == pytest.approx(0.95, abs=0.005)


def test_difference_of_the_documentation() -> None:
    """Qtest(thetao = 2, thetar = 0.5, seo = 1, ser = 0.5) prints 0.1797125."""
    found = difference(effect(2), effect(0.5, 0.5))
    assert found.p_value == pytest.approx(0.1797125, abs=5e-8)
    assert found.effect.estimate == -1.5
    assert found.q == pytest.approx(1.5**2 / 1.25)


@pytest.mark.parametrize("replication", [2.74, 2.78, -2.74, -2.78])
def test_difference_test_is_the_prediction_interval(replication: float) -> None:
    """p below 0.05 exactly outside the 95 % prediction interval (1.96 sqrt 2 = 2.772)."""
    interval = prediction_interval(effect(0.0), replication_error=1.0, level=0.95)
    tested = difference(effect(0.0), effect(replication))
    assert (tested.p_value < 0.05) is not inside(replication, interval)


@pytest.mark.parametrize(
    ("original", "replication", "expected"),
    [(3, 2, True), (3, 1, False), (3, -3, False), (-3, -2.5, True), (3, 0, False), (1, 5, None)],
)
def test_significance_and_direction(
    original: float, replication: float, expected: bool | None
) -> None:
    """Both significant in one direction; undefined where the original is not significant."""
    assert significant_alike(effect(original), effect(replication), alpha=0.05) is expected


@pytest.mark.parametrize(
    ("original", "replication", "expected"),
    [(1, 2, True), (-1, 2, False), (0, 2, None), (1, 0, None)],
)
def test_direction(original: float, replication: float, expected: bool | None) -> None:
    """Zero has none."""
    assert same_direction(effect(original), effect(replication)) is expected


def test_ends_are_inside() -> None:
    """An interval holds its ends."""
    assert inside(1.0, Bracket(1.0, 2.0))
    assert not inside(math.nextafter(1.0, 0.0), Bracket(1.0, 2.0))
