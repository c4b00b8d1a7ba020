"""Simulated cells have the truth they claim."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from cot_entropy.stats.populations import (
    ENTROPIES,
    coherence_shares,
    filter_study,
    rank_shares,
    rho_of,
    violation_shares,
)


@pytest.mark.parametrize("rho", [-0.3, 0.0, 0.1, 0.2])
def test_shares_have_the_wanted_rho(rho: float) -> None:
    """Checked on a sample of 200,000 by scipy."""
    shares = rank_shares(coherence_shares(), accuracy=0.6, rho=rho)
    assert shares is not None
    assert rho_of(shares) == pytest.approx(rho, abs=1e-9)
    drawn = np.random.default_rng(0).choice(len(shares), p=shares, size=200_000)
    levels = len(shares) // 2
    measured = stats.spearmanr(drawn % levels, drawn < levels).statistic
    assert measured == pytest.approx(rho, abs=0.01)


def test_impossible_rho_is_none() -> None:
    """With one chain in a hundred monotone, no outcome correlates at -0.9."""
    assert rank_shares(violation_shares(0.99), accuracy=0.5, rho=-0.9) is None


@pytest.mark.parametrize("shares", [violation_shares(0.3), coherence_shares()])
def test_shares_sum_to_one(shares: np.ndarray) -> None:
    """A distribution."""
    assert shares.sum() == pytest.approx(1)
    assert (shares > 0).all()


def test_coherence_takes_the_differences_of_the_seven_entropies() -> None:
    """The entropies of the partitions of five, by scipy; their differences up to rounding."""
    partitions = [[5], [4, 1], [3, 2], [3, 1, 1], [2, 2, 1], [2, 1, 1, 1], [1, 1, 1, 1, 1]]
    entropies = [stats.entropy(partition) for partition in partitions]
    assert pytest.approx(entropies, abs=1e-6) == ENTROPIES
    differences = {round(a - b, 5) + 0.0 for a in entropies for b in entropies}
    assert len(coherence_shares()) == len(differences)


def test_simulated_filter_chains_are_monotone() -> None:
    """First at least last, and a mean between them."""
    study = filter_study(300, wrong_rate=0.2, effect=0.0, rng=np.random.default_rng(1))
    first, last, mean, drop, units = study.features.T
    assert (first >= mean - 1e-9).all()
    assert (mean >= last - 1e-9).all()
    assert (drop >= 0).all()
    assert set(units) <= set(range(1, 9))


def test_effect_raises_the_risk_with_the_final_entropy() -> None:
    """Wrong answers have the higher mean final entropy."""
    study = filter_study(4000, wrong_rate=0.3, effect=1.0, rng=np.random.default_rng(1))
    last = study.features[:, 1]
    assert last[study.wrong].mean() > last[~study.wrong].mean()
