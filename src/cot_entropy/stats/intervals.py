"""Intervals from bootstrap and permutation draws, and the p-values that agree with them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple, Self

import numpy as np
from numpy.typing import NDArray
from scipy import stats

Values = NDArray[np.float64]


class Bracket(NamedTuple):
    """An interval in the unit of its estimand."""

    low: float
    high: float

    def clipped(self, least: float, greatest: float) -> Bracket:
        """The part inside `[least, greatest]`: what an estimand's range leaves of it."""
        low, high = (min(max(end, least), greatest) for end in self)
        return Bracket(low, high)


def percentile(draws: Values, *, level: float) -> Bracket | None:
    """The percentile bootstrap interval of draws `(B,)`, undefined draws left out; None if all are.

    Quantiles interpolate linearly, as scipy.stats.bootstrap's do.
    """
    defined = draws[~np.isnan(draws)]
    if not len(defined):
        return None
    low, high = np.quantile(defined, [(1 - level) / 2, (1 + level) / 2])
    return Bracket(float(low), float(high))


def normal_clipped(
    estimate: float, draws: Values, *, level: float, within: tuple[float, float]
) -> Bracket | None:
    """estimate -+ z times the bootstrap standard error, clipped to the estimand's range `within`.

    No truth lies outside the range, so clipping changes neither coverage nor a verdict. None with
    fewer than two defined draws.
    """
    defined = draws[~np.isnan(draws)]
    if len(defined) < 2:
        return None
    half = float(stats.norm.ppf((1 + level) / 2) * defined.std(ddof=1))
    return Bracket(estimate - half, estimate + half).clipped(*within)


def normal_p(estimate: float, draws: Values, threshold: float) -> float | None:
    """Two-sided p of `estimand = threshold` that agrees with the interval `normal_clipped`.

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
    """A correlation, studentised on Fisher's z scale, and its permutation distribution.

    The statistic is t = atanh(rho) / SE. The interval inverts its permutation test: rho0 is
    inside unless (atanh(rho) - atanh(rho0)) / SE lies in a tail of the permuted t. At rho0 = 0
    the test is exact, however skewed (few wrong answers, few violations); elsewhere it is right
    in large samples because SE is the data's own (DiCiccio and Romano 2017, JASA 112: 1211-1220).
    """

    z: float
    error: float
    permuted: Values

    @classmethod
    def of(cls, z: float, error: float, permuted_z: Values, permuted_error: Values) -> Self:
        """From atanh(rho) and its standard error, of the data and of permutations `(B,)`."""
        permuted = permuted_z / np.maximum(permuted_error, TINY)
        return cls(z, max(error, TINY), np.sort(permuted))

    def interval(self, *, level: float) -> Bracket:
        """The interval, never narrower than the number of permutations can show."""
        draws = len(self.permuted)
        rank = int(np.floor((draws + 1) * (1 - level) / 2 + 1e-9))
        if not rank:
            return Bracket(-1.0, 1.0)
        lowest, highest = self.permuted[rank - 1], self.permuted[draws - rank]
        ends = np.tanh(
            [self.z - highest * self.error - SLACK, self.z - lowest * self.error + SLACK]
        )
        return Bracket(float(ends[0]), float(ends[1]))

    def p_at_most(self, bound: float) -> float:
        """One-sided p of `rho <= bound`: `(1 + draws at least as high) / (1 + draws)`."""
        t = (self.z - np.arctanh(bound)) / self.error
        return float((1 + np.count_nonzero(self.permuted >= t - SLACK)) / (1 + len(self.permuted)))

    def p_at_least(self, bound: float) -> float:
        """One-sided p of `rho >= bound`."""
        t = (self.z - np.arctanh(bound)) / self.error
        return float((1 + np.count_nonzero(self.permuted <= t + SLACK)) / (1 + len(self.permuted)))

    def p_two_sided(self) -> float:
        """p of rho = 0: twice the smaller tail, at most 1."""
        return min(1.0, 2 * min(self.p_at_most(0.0), self.p_at_least(0.0)))

    def p_two_one_sided(self, low: float, high: float) -> float:
        """The larger p of `rho <= low` and `rho >= high` (equivalence, TOST)."""
        return max(self.p_at_most(low), self.p_at_least(high))


TINY = 1e-12
SLACK = 1e-12
"""Permuted values that equal the data's tie with it, whatever the last bit says."""


def bootstrap_p(draws: Values, threshold: float) -> float | None:
    """Two-sided bootstrap p of `estimand = threshold`; None where every draw is undefined.

    Twice the smaller tail of the draws, each tail `(1 + draws beyond) / (1 + draws)`, at most 1.
    """
    defined = draws[~np.isnan(draws)]
    if not len(defined):
        return None
    tails = (np.count_nonzero(defined <= threshold), np.count_nonzero(defined >= threshold))
    return float(min(1.0, 2 * (1 + min(tails)) / (1 + len(defined))))
