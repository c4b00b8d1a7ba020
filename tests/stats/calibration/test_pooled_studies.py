"""Simulated panels: their margins, their truths, and the fast regression."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from cot_entropy.plan.load import load_plan
from cot_entropy.stats.calibration.pooled_studies import (
    PANEL_SETTINGS,
    PanelSetting,
    clustered_log_odds,
    marginal_log_odds,
    pooled_studies,
    simulate,
)
from cot_entropy.stats.replication.clustered import Fitted, fit_clustered, panel_rows

PLAN = Path(__file__).parents[3] / "preregistration" / "plan.yaml"
SHARED = PanelSetting(log_odds=1.0, spread=0.0, shared=0.6)


def test_the_fast_regression_is_the_analysis_own() -> None:
    """Same estimate and error as the one that the analysis fits."""
    cells, _ = simulate(SHARED, np.array([0.8, 1.0, 1.2]), np.random.default_rng(1))
    rows = panel_rows(cells, cells)
    found = fit_clustered(rows, [rows.flag], kept=np.ones(len(rows.flag)))
    assert isinstance(found, Fitted)
    effect = found.effect(0)
    assert clustered_log_odds(cells) == pytest.approx((effect.estimate, effect.error), abs=1e-7)


def test_cells_have_the_margins_of_their_truth() -> None:
    """Counts over many studies are the expected ones, questions shared or not."""
    rng = np.random.default_rng(2)
    effects = np.array([0.5, 1.0, 1.5])
    counted = []
    for _ in range(60):
        cells, tables = simulate(SHARED, effects, rng)
        counted.append([cell.memberships().sum(axis=0) for cell in cells])
    mean = np.mean(counted, axis=0)
    assert mean == pytest.approx(tables[:, :4], rel=0.08)


def test_models_share_what_the_setting_says() -> None:
    """Answers of two models to one question are correlated; without sharing they are not."""
    for shared, low, high in ((0.6, 0.15, 0.6), (0.0, -0.08, 0.08)):
        setting = PanelSetting(log_odds=0.0, spread=0.0, shared=shared)
        cells, _ = simulate(setting, np.zeros(3), np.random.default_rng(3))
        found = np.corrcoef(cells[0].correct, cells[1].correct)[0, 1]
        assert low < found < high


@pytest.mark.parametrize("log_odds", [0.0, 1.2])
def test_one_effect_is_its_own_truth(log_odds: float) -> None:
    """Equal log odds ratios in all cells: the regression's truth is that number."""
    _, tables = simulate(SHARED, np.full(3, log_odds), np.random.default_rng(4))
    assert marginal_log_odds(tables[:, :4]) == pytest.approx(log_odds, abs=1e-6)


def test_every_measure_has_a_row() -> None:
    """Six intervals; a limit on false support only where nothing is there."""
    plan = load_plan(PLAN).plan
    rows = list(
        pooled_studies(
            PANEL_SETTINGS[0], plan, studies=4, resamples=60, rng=np.random.default_rng(5)
        )
    )
    assert {row.measure for row in rows} == {
        "pooled_gap_pp", "pooled_log_odds", "pooled_rho_violations", "gee_log_odds",
        "mean_of_models_log_odds", "prediction_new_model_log_odds",
    }  # fmt: skip
    assert all(row.false_support_limit is not None for row in rows)
