"""Pooled effects against statsmodels' stratified tables and arithmetic."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats
from statsmodels.stats.contingency_tables import StratifiedTable

from cot_entropy.stats.replication.stratified import (
    cell_gaps,
    cell_log_odds,
    cell_z,
    pooled_gap,
    pooled_log_odds,
    pooled_z,
)

STUDIES = [
    [(837, 61, 344, 77), (86, 49, 111, 254)],
    [(152, 69, 37, 42), (30, 10, 20, 40), (5, 9, 1, 8)],
    [(400, 100, 0, 30), (3, 3, 2, 2)],
]


@pytest.mark.parametrize("cells", STUDIES)
def test_odds_ratio_of_statsmodels(cells: list[tuple[int, ...]]) -> None:
    """StratifiedTable's Mantel-Haenszel odds ratio."""
    theirs = StratifiedTable([np.array(cell, dtype=float).reshape(2, 2) for cell in cells])
    found = pooled_log_odds(np.array([cells], dtype=float))
    assert np.exp(found[0]) == pytest.approx(theirs.oddsratio_pooled)


@pytest.mark.parametrize("cells", STUDIES)
def test_gap_is_the_weighted_mean_of_gaps(cells: list[tuple[int, ...]]) -> None:
    """Weights n1 n0 / n of each cell's gap (Mantel and Haenszel's risk difference)."""
    gaps, weights = [], []
    for right, wrong, right_other, wrong_other in cells:
        n1, n0 = right + wrong, right_other + wrong_other
        gaps.append(100 * (right / n1 - right_other / n0))
        weights.append(n1 * n0 / (n1 + n0))
    found = pooled_gap(np.array([cells], dtype=float))
    assert found[0] == pytest.approx(np.average(gaps, weights=weights))
    assert cell_gaps(np.array([cells], dtype=float))[0] == pytest.approx(gaps)


def test_a_cell_without_a_group_has_no_weight() -> None:
    """The reasoning-distilled cell where nothing is monotone changes nothing."""
    alone = pooled_gap(np.array([[(30.0, 10, 20, 40)]]))
    beside = pooled_gap(np.array([[(30.0, 10, 20, 40), (0, 0, 50, 50)]]))
    assert beside == pytest.approx(alone)


def test_no_cell_with_both_groups() -> None:
    """Undefined, without a warning."""
    assert np.isnan(pooled_gap(np.array([[(0.0, 0, 5, 5)]])))[0]
    assert np.isnan(pooled_log_odds(np.array([[(5.0, 0, 5, 0)]])))[0]


def test_log_odds_need_every_count() -> None:
    """A zero makes one cell undefined, not its neighbour."""
    found = cell_log_odds(np.array([[(4.0, 2, 1, 2), (5, 0, 3, 1)]]))[0]
    assert found[0] == pytest.approx(np.log(4))
    assert np.isnan(found[1])


def test_z_of_a_cell_is_scipys() -> None:
    """atanh of scipy's Spearman correlation."""
    right, wrong = np.array([[6.0, 3, 1]]), np.array([[1.0, 2, 4]])
    signal = [0] * 6 + [1] * 3 + [2] * 1 + [0] * 1 + [1] * 2 + [2] * 4
    outcome = [1] * 10 + [0] * 7
    expected = stats.spearmanr(signal, outcome).statistic
    assert np.tanh(cell_z(right, wrong)[0]) == pytest.approx(expected)


def test_pooled_z_weights_by_questions() -> None:
    """(3 x 0.2 + 1 x 0.6) / 4."""
    assert pooled_z(np.array([[0.2, 0.6]]), np.array([300.0, 100.0]))[0] == pytest.approx(0.3)
