"""Intervals from bootstrap and permutation draws, and the p-values that agree with them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import stats

Values = NDArray[np.float64]


class Bracket(NamedTuple):
    """An interval in the unit of its estimand."""

    low: float
    high: float


def percentile(draws: Values, *, level: float) -> Bracket | None:
    """The percentile bootstrap interval of draws `(B,)`, undefined draws left out; None if all are.

    Quantiles interpolate linearly, as scipy.stats.bootstrap's do.
    """
    defined = draws[~np.isnan(draws)]
    if not len(defined):
        return None
    low, high = np.quantile(defined, [(1 - level) / 2, (1 + level) / 2])
    return Bracket(float(low), float(high))


def normal(estimate: float, draws: Values, *, level: float) -> Bracket | None:
    """estimate -+ z times the bootstrap standard error; None with fewer than two defined draws."""
    defined = draws[~np.isnan(draws)]
    if len(defined) < 2:
        return None
    half = float(stats.norm.ppf((1 + level) / 2) * defined.std(ddof=1))
    return Bracket(estimate - half, estimate + half)


def normal_p(estimate: float, draws: Values, threshold: float) -> float | None:
    """Two-sided p of `estimand = threshold` that agrees with the interval `normal`.

    None with fewer than two defined draws, or where all are equal.
    """
    defined = draws[~np.isnan(draws)]
    error = float(defined.std(ddof=1)) if len(defined) > 1 else 0.0
    if error == 0:
        return None
    return float(2 * stats.norm.sf(abs(estimate - threshold) / error))


def undefined_draws(draws: Values) -> int:
    """How many resamples left the statistic undefined (a group empty, an outcome missing)."""
    return int(np.isnan(draws).sum())


@dataclass(frozen=True, eq=False)
class PermutationNull:
    """A correlation and its permutation distribution, compared on Fisher's z scale.

    The interval inverts the permutation test: rho0 is inside unless atanh(rho) - atanh(rho0) lies
    in a tail of the permuted values. At rho0 = 0 that is the exact test, which a skewed null
    distribution (few wrong answers, few violations) does not upset.
    """

    z: float
    permuted: Values

    @classmethod
    def of(cls, rho: float, permuted_rho: Values) -> PermutationNull:
        """From rho and permuted rhos `(B,)`, all defined."""
        permuted = np.sort(np.arctanh(np.clip(permuted_rho, -EDGE, EDGE)))
        return cls(float(np.arctanh(np.clip(rho, -EDGE, EDGE))), permuted)

    def interval(self, *, level: float) -> Bracket:
        """The interval, never narrower than the number of permutations can show."""
        draws = len(self.permuted)
        rank = int(np.floor((draws + 1) * (1 - level) / 2 + 1e-9))
        lowest = self.permuted[rank - 1] if rank else -np.inf
        highest = self.permuted[draws - rank] if rank else np.inf
        return Bracket(float(np.tanh(self.z - highest)), float(np.tanh(self.z - lowest)))

    def p_two_sided(self) -> float:
        """p of rho = 0: `(1 + draws at least as far from 0) / (1 + draws)`."""
        extreme = np.count_nonzero(np.abs(self.permuted) >= abs(self.z) - SLACK)
        return float((1 + extreme) / (1 + len(self.permuted)))

    def p_two_one_sided(self, low: float, high: float) -> float:
        """The larger p of `rho <= low` and `rho >= high` (equivalence, TOST)."""
        above = np.count_nonzero(self.permuted >= self.z - np.arctanh(low) - SLACK)
        below = np.count_nonzero(self.permuted <= self.z - np.arctanh(high) + SLACK)
        return float((1 + max(above, below)) / (1 + len(self.permuted)))


EDGE = 1 - 1e-12
SLACK = 1e-12


def bootstrap_p(draws: Values, threshold: float) -> float | None:
    """Two-sided bootstrap p of `estimand = threshold`; None where every draw is undefined.

    Twice the smaller tail of the draws, each tail `(1 + draws beyond) / (1 + draws)`, at most 1.
    """
    defined = draws[~np.isnan(draws)]
    if not len(defined):
        return None
    tails = (np.count_nonzero(defined <= threshold), np.count_nonzero(defined >= threshold))
    return float(min(1.0, 2 * (1 + min(tails)) / (1 + len(defined))))
