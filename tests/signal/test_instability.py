"""EDIS by hand: bursts, rebounds, and the variance that multiplies them."""

import numpy as np
import pytest

from cot_entropy.signal.instability import instability
from cot_entropy.signal.units import unit_means, unit_tokens


def score(*entropies: float) -> float | None:
    return instability(np.array(entropies))


def test_a_steady_chain_scores_nothing() -> None:
    assert score(*[0.7] * 12) == 0.0
    assert score(1.0, 0.5, 0.25) == 0.0


def test_no_tokens_no_score() -> None:
    assert score() is None


def test_a_spike_is_one_burst_and_one_rebound() -> None:
    """From the first to the sixth token +2, which is also 2 above the least so far."""
    entropies = [0.0, 0.0, 0.0, 0.0, 0.0, 2.0, 0.0]
    assert score(*entropies) == pytest.approx((1 + 1) / 2 * (1 + np.var(entropies)))


def test_a_quick_spike_is_a_rebound_alone() -> None:
    """Within five tokens: no token lies five before it."""
    entropies = [0.0, 2.0, 0.0]
    assert score(*entropies) == pytest.approx(1 / 2 * (1 + np.var(entropies)))


def test_thresholds_are_exceeded_not_met() -> None:
    assert score(0.0, 1.33) == 0.0
    assert score(0.0, 1.34) == pytest.approx(1 / 2 * (1 + 0.67**2))


def test_every_token_after_a_rise_is_a_rebound() -> None:
    """The least so far stays 0: three tokens lie 1.5 above it."""
    entropies = [0.0, 1.5, 1.5, 1.5]
    assert score(*entropies) == pytest.approx(3 / 2 * (1 + np.var(entropies)))


def test_units_are_counted_and_averaged() -> None:
    """Prefixes of 0, 2 and 5 tokens; the third unit added none."""
    ends = [0, 2, 5, 5]
    assert unit_tokens(ends) == [2, 3, 0]
    assert unit_means([1.0, 3.0, 2.0, 4.0, 6.0, 9.0], ends) == [2.0, 4.0, None]
