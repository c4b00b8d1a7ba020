"""Do the cells have one effect? REML with a full covariance, Hartung and Knapp, prediction.

y = mu + u + e with u ~ N(0, tau^2) for each cell and e ~ N(0, V). V is the cells' covariance from
the question bootstrap, since cells of one dataset share their questions. statsmodels' and other
libraries' random effects take independent studies for granted, so that the likelihood stands here.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import optimize, stats

from cot_entropy.stats.intervals import Bracket

Values = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True)
class RandomEffects:
    """A mean over k cells. `error` and both intervals are Hartung and Knapp's, t with k - 1."""

    mean: float
    error: float
    interval: Bracket
    prediction: Bracket
    """Where the effect of a new cell of this kind lies."""
    tau2: float
    """Variance between cells, squared unit of the effects."""
    i2: float
    """Its share of the variance of a typical estimate, 0 to 1."""
    q: float
    """Cochran's Q of one common effect, k - 1 degrees of freedom."""
    q_p: float


def random_effects(effects: Values, covariance: Values, *, level: float) -> RandomEffects:
    """From the effects `(k,)`, k at least 2, and their covariance `(k, k)`, positive definite.

    tau^2 by REML (Viechtbauer 2005), I^2 from the typical variance (k - 1) / tr(P) (Jackson, White
    and Riley 2012). Hartung and Knapp 2001 with the weights of the full covariance; the factor is
    not held above 1, as in metafor. Raises ValueError on fewer cells or a singular covariance.
    """
    k = len(effects)
    if k < 2:
        raise ValueError("one effect has no heterogeneity")
    spread = float(np.trace(covariance)) / k + float(np.var(effects))
    if not spread > 0 or np.linalg.eigvalsh(covariance)[0] <= 0:
        raise ValueError("the covariance of the effects is singular")
    tau2 = _reml(effects, covariance, 10 * spread)
    weights = _inverse(covariance + tau2 * np.eye(k))
    mean, variance, distance = _weighted(effects, weights)
    error = float(np.sqrt(distance / (k - 1) * variance))
    t = float(stats.t.ppf((1 + level) / 2, k - 1))
    new = t * float(np.sqrt(tau2 + error**2))
    fixed = _inverse(covariance)
    _, fixed_variance, q = _weighted(effects, fixed)
    total = fixed.sum(axis=1)
    typical = (k - 1) / float(np.trace(fixed) - total @ total * fixed_variance)
    return RandomEffects(
        mean=mean,
        error=error,
        interval=Bracket(mean - t * error, mean + t * error),
        prediction=Bracket(mean - new, mean + new),
        tau2=tau2,
        i2=tau2 / (tau2 + typical),
        q=q,
        q_p=float(stats.chi2.sf(q, k - 1)),
    )


def _inverse(matrix: Values) -> Values:
    return np.asarray(np.linalg.inv(matrix), dtype=np.float64)


def _weighted(effects: Values, weights: Values) -> tuple[float, float, float]:
    """Weighted mean, its model variance, and the weighted squared distance from it."""
    variance = 1 / float(weights.sum())
    mean = variance * float(weights.sum(axis=0) @ effects)
    rest = effects - mean
    return mean, variance, float(rest @ weights @ rest)


def _reml(effects: Values, covariance: Values, highest: float) -> float:
    """The tau^2 in [0, highest] that maximises the restricted likelihood."""

    def loss(tau2: float) -> float:
        total = covariance + tau2 * np.eye(len(effects))
        weights = _inverse(total)
        _, _, distance = _weighted(effects, weights)
        sign, size = np.linalg.slogdet(total)
        return float(size + np.log(weights.sum()) + distance) if sign > 0 else np.inf

    found = optimize.minimize_scalar(
        loss, bounds=(0.0, highest), method="bounded", options={"xatol": 1e-9 * highest}
    )
    inner = float(found.x)
    return inner if loss(inner) < loss(0.0) else 0.0
