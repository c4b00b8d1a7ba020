"""REML and its intervals: metafor's printed output, and independent derivations."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import optimize, stats

from cot_entropy.stats.replication.heterogeneity import random_effects

BCG = np.array(
    [
        (4, 119, 11, 128), (6, 300, 29, 274), (3, 228, 11, 209), (62, 13536, 248, 12619),
        (33, 5036, 47, 5761), (180, 1361, 372, 1079), (8, 2537, 10, 619), (505, 87886, 499, 87892),
        (29, 7470, 45, 7232), (17, 1699, 65, 1600), (186, 50448, 141, 27197), (5, 2493, 3, 2338),
        (27, 16886, 29, 17825),
    ]
)  # fmt: skip
"""Colditz et al. 1994: tuberculosis and none among vaccinated, then among controls."""


def bcg() -> tuple[np.ndarray, np.ndarray]:
    """Log risk ratios and their variances."""
    a, b, c, d = BCG.T
    effects = np.log(a / (a + b)) - np.log(c / (c + d))
    return effects, 1 / a - 1 / (a + b) + 1 / c - 1 / (c + d)


def test_the_output_of_metafor() -> None:
    """rma(yi, vi, test = "knha") of metafor's README, all digits printed."""
    effects, variances = bcg()
    found = random_effects(effects, np.diag(variances), level=0.95)
    assert found.tau2 == pytest.approx(0.3132, abs=5e-5)
    assert 100 * found.i2 == pytest.approx(92.22, abs=0.005)
    assert found.q == pytest.approx(152.2330, abs=5e-5)
    assert found.mean == pytest.approx(-0.7145, abs=5e-5)
    assert found.error == pytest.approx(0.1808, abs=5e-5)
    assert found.interval == pytest.approx((-1.1084, -0.3206), abs=5e-5)
    assert np.exp(found.prediction) == pytest.approx((0.14, 1.76), abs=0.005)


def contrasts(k: int) -> np.ndarray:
    """Orthonormal contrasts `(k - 1, k)`: REML is the likelihood of these."""
    return np.linalg.qr(np.column_stack([np.ones(k), np.eye(k)[:, : k - 1]]))[0][:, 1:].T


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_tau_maximises_the_likelihood_of_contrasts(seed: int) -> None:
    """With correlated errors: the error contrasts are normal with covariance A (V + tau^2) A'."""
    rng = np.random.default_rng(seed)
    root = rng.normal(size=(6, 6)) * 0.3
    covariance = root @ root.T + 0.1 * np.eye(6)
    effects = rng.multivariate_normal(np.zeros(6), covariance + 1.5 * np.eye(6))
    some = contrasts(6)

    def loss(tau2: float) -> float:
        total = some @ (covariance + tau2 * np.eye(6)) @ some.T
        return -float(stats.multivariate_normal(np.zeros(5), total).logpdf(some @ effects))

    best = optimize.minimize_scalar(loss, bounds=(0, 50), method="bounded").x
    found = random_effects(effects, covariance, level=0.95)
    assert found.tau2 == pytest.approx(best, rel=1e-3)


def test_equal_cells_have_no_heterogeneity() -> None:
    """Equal effects: tau^2, I^2 and Q are 0."""
    found = random_effects(np.full(4, 2.0), np.eye(4), level=0.95)
    assert (found.tau2, found.i2, found.q) == pytest.approx((0, 0, 0), abs=1e-9)


def test_equal_variances_give_a_t_interval() -> None:
    """With one variance, Hartung and Knapp's interval is the t interval of the effects."""
    effects = np.array([1.0, 2.0, 4.0, 7.0])
    found = random_effects(effects, 0.2 * np.eye(4), level=0.95)
    expected = stats.t.interval(0.95, 3, loc=effects.mean(), scale=stats.sem(effects))
    assert found.interval == pytest.approx(expected, abs=1e-6)
    assert found.tau2 == pytest.approx(effects.var(ddof=1) - 0.2, abs=1e-5)


def test_shared_questions_count_as_less() -> None:
    """Two cells that always err together are one piece of evidence on their mean."""
    together = np.array([[1.0, 0.99], [0.99, 1.0]])
    found = random_effects(np.array([0.0, 4.0]), together, level=0.95)
    assert found.tau2 == pytest.approx(8.0 - 0.01, abs=1e-3)


@pytest.mark.parametrize("bad", [np.zeros((2, 2)), np.ones((2, 2))])
def test_singular_covariance(bad: np.ndarray) -> None:
    """No likelihood exists."""
    with pytest.raises(ValueError, match="singular"):
        random_effects(np.array([1.0, 2.0]), bad, level=0.95)


def test_one_cell() -> None:
    """One effect has no heterogeneity."""
    with pytest.raises(ValueError, match="one effect"):
        random_effects(np.array([1.0]), np.eye(1), level=0.95)


def test_prediction_holds_a_new_cell() -> None:
    """Many cells: 95 % of new effects, N(0, tau^2), lie in the prediction interval."""
    rng = np.random.default_rng(6)
    hits = []
    for _ in range(400):
        effects = rng.normal(0, math.sqrt(1 + 0.25), 30)
        found = random_effects(effects, 0.25 * np.eye(30), level=0.95)
        hits.append(found.prediction.low <= rng.normal() <= found.prediction.high)
    assert np.mean(hits) == pytest.approx(0.95, abs=0.035)
