"""Many penalised logistic regressions on the same rows with different weights, at once.

Row r of the weights is one regression: how often each pattern (a distinct row of features) came
with outcome 0 and with outcome 1. Newton's method on all of them together is a few matrix
products per step, which is what makes cross-validation inside 10,000 resamples affordable.

The model is scikit-learn's `StandardScaler` then `LogisticRegression(C=1/penalty)`: features are
standardised by each regression's own weights, the intercept is not penalised.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

Values = NDArray[np.float64]

MAX_STEPS: Final = 50
MAX_CHANGE: Final = 2.0
"""The most that a step may move a log-odds: an undamped step overshoots where outcomes separate."""
TOLERANCE: Final = 1e-5
"""Largest last step, standard deviations; Newton's next error is about its square."""
CONSTANT: Final = 1e-12


@dataclass(frozen=True, eq=False)
class Fits:
    """Coefficients `(R, 1 + d)` on the features' own scale, intercept first; NaN: not converged."""

    coefficients: Values

    def logits(self, patterns: Values) -> Values:
        """Predicted log-odds `(R, P)` of patterns `(P, d)`."""
        return self.coefficients[:, 1:] @ patterns.T + self.coefficients[:, :1]


def fit(patterns: Values, zeros: Values, ones: Values, *, penalty: float) -> Fits:
    """Fit R regressions: `patterns (P, d)`, weights of either outcome `(R, P)`.

    Every row needs both outcomes. Minimises the weighted log loss plus `penalty / 2` times the
    squared standardised coefficients, by damped Newton steps.
    """
    design = np.column_stack([np.ones(len(patterns)), patterns])
    pairs = [(i, j) for i in range(design.shape[1]) for j in range(i, design.shape[1])]
    products = np.column_stack([design[:, i] * design[:, j] for i, j in pairs])
    total = zeros + ones
    ridge = _ridge(design, total, penalty)
    share = ones.sum(axis=1) / total.sum(axis=1)
    beta = np.zeros((len(total), design.shape[1]))
    beta[:, 0] = np.log(share / (1 - share))
    logits = np.repeat(beta[:, :1], len(design), axis=1)
    target = ones @ design
    diagonal = np.arange(design.shape[1])
    scale = np.sqrt(np.where(ridge > 0, ridge / penalty, 1.0))
    moved = np.full(len(total), np.inf)
    for _ in range(MAX_STEPS):
        probability = 1 / (1 + np.exp(-logits))
        weighted = total * probability
        gradient = target - weighted @ design - ridge * beta
        hessian = _unpack((weighted * (1 - probability)) @ products, pairs)
        hessian[:, diagonal, diagonal] += ridge
        step = np.linalg.solve(hessian, gradient[..., None])[..., 0]
        change = step @ design.T
        damping = np.minimum(1, MAX_CHANGE / np.maximum(np.abs(change).max(axis=1), MAX_CHANGE))
        beta += damping[:, None] * step
        logits += damping[:, None] * change
        moved = np.abs(step * scale).max(axis=1)
        if moved.max() < TOLERANCE:
            break
    beta[moved >= TOLERANCE] = np.nan
    return Fits(beta)


def _ridge(design: Values, total: Values, penalty: float) -> Values:
    """The penalty of each coefficient on the features' own scale, `(R, 1 + d)`.

    A constant feature would leave its coefficient free: any penalty holds it at 0.
    """
    n = total.sum(axis=1, keepdims=True)
    mean = total @ design / n
    variance = total @ design**2 / n - mean**2
    ridge = penalty * np.where(variance > CONSTANT, variance, 1.0)
    ridge[:, 0] = 0.0
    return ridge


def _unpack(flat: Values, pairs: list[tuple[int, int]]) -> Values:
    size = pairs[-1][0] + 1
    full = np.empty((len(flat), size, size))
    for column, (i, j) in enumerate(pairs):
        full[:, i, j] = full[:, j, i] = flat[:, column]
    return full
