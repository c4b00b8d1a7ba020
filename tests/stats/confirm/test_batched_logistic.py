"""Batched regressions agree with scikit-learn, separable data included."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from cot_entropy.stats.confirm.batched_logistic import fit


def sklearn_logits(
    patterns: np.ndarray, zeros: np.ndarray, ones: np.ndarray, penalty: float
) -> np.ndarray:
    """Log-odds of the patterns, each question a row of its own."""
    rows = np.concatenate([np.repeat(patterns, zeros, axis=0), np.repeat(patterns, ones, axis=0)])
    outcome = np.repeat([False, True], [zeros.sum(), ones.sum()])
    model = make_pipeline(
        StandardScaler(), LogisticRegression(C=1 / penalty, solver="newton-cholesky", tol=1e-12)
    )
    return model.fit(rows, outcome).decision_function(patterns)


@pytest.mark.parametrize("penalty", [0.1, 1.0, 10.0])
def test_every_row_is_scikit_learns_fit(penalty: float) -> None:
    """Eight weightings of the same patterns at once."""
    rng = np.random.default_rng(0)
    patterns = np.unique(rng.integers(0, 4, (40, 3)).astype(float), axis=0)
    zeros, ones = rng.integers(0, 5, (2, 8, len(patterns)))
    fits = fit(patterns, zeros.astype(float), ones.astype(float), penalty=penalty)
    for row in range(8):
        expected = sklearn_logits(patterns, zeros[row], ones[row], penalty)
        assert fits.logits(patterns)[row] == pytest.approx(expected, abs=1e-7)


def test_a_constant_feature_changes_nothing() -> None:
    """scikit-learn's scaler makes it zero; here any penalty holds its coefficient at 0."""
    rng = np.random.default_rng(1)
    patterns = np.column_stack([np.arange(6.0), np.full(6, 3.0)])
    zeros, ones = rng.integers(1, 5, (2, 1, 6)).astype(float)
    both = fit(patterns, zeros, ones, penalty=1.0)
    alone = fit(patterns[:, :1], zeros, ones, penalty=1.0)
    assert both.logits(patterns) == pytest.approx(alone.logits(patterns[:, :1]), abs=1e-8)


@pytest.mark.parametrize("penalty", [1e-3, 1.0])
def test_separated_outcomes_converge(penalty: float) -> None:
    """Undamped Newton steps overshoot here until the Hessian is singular."""
    patterns = np.linspace(0, 1, 40)[:, None] ** 8
    ones = (np.arange(40) >= 36).astype(int)
    fits = fit(patterns, (1.0 - ones)[None], ones[None] * 1.0, penalty=penalty)
    expected = sklearn_logits(patterns, 1 - ones, ones, penalty)
    assert fits.logits(patterns)[0] == pytest.approx(expected, abs=1e-5)


def test_features_far_apart_in_scale_agree() -> None:
    """Standardisation is by each regression's own weights."""
    rng = np.random.default_rng(2)
    patterns = rng.normal(size=(50, 2)) * [1e-3, 1e3]
    zeros, ones = rng.integers(0, 3, (2, 1, 50))
    fits = fit(patterns, zeros * 1.0, ones * 1.0, penalty=1.0)
    expected = sklearn_logits(patterns, zeros[0], ones[0], 1.0)
    assert fits.logits(patterns)[0] == pytest.approx(expected, abs=1e-6)
