"""Effects on scales where an estimate is near normal, with their standard errors.

152 of 221 v 37 of 79 right (Z26, pilot): gap 21.9 points, error 6.4; log odds ratio 0.91, 0.27
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from cot_entropy.stats.intervals import Bracket
from cot_entropy.stats.rank_correlation import fisher_z
from cot_entropy.stats.two_by_two import TwoByTwo, gap_of

Values = NDArray[np.float64]
Scale = Literal["accuracy_gap_pp", "log_odds_ratio", "atanh_rho"]
"""Percentage points, natural logarithm of the odds ratio, Fisher's transformation of rho."""


@dataclass(frozen=True, kw_only=True)
class Effect:
    """An estimate and its standard error, both in the unit of their scale; the error is above 0."""

    estimate: float
    error: float

    def __post_init__(self) -> None:
        if not (math.isfinite(self.estimate) and math.isfinite(self.error) and self.error > 0):
            raise ValueError(f"no effect: estimate {self.estimate}, error {self.error}")

    @property
    def z(self) -> float:
        """The estimate in standard errors."""
        return self.estimate / self.error

    @property
    def p_value(self) -> float:
        """Two-sided p of no effect, normal."""
        return float(2 * stats.norm.sf(abs(self.z)))

    def interval(self, level: float) -> Bracket:
        """The normal interval."""
        half = float(stats.norm.ppf((1 + level) / 2)) * self.error
        return Bracket(self.estimate - half, self.estimate + half)


def gap_effect(table: TwoByTwo) -> Effect | None:
    """The accuracy gap in percentage points with Wald's error.

    None where a group is empty, or where both groups are all right or all wrong (no error).
    """
    gap = gap_of(table)
    if gap is None:
        return None
    first, second = table.right_monotone / table.monotone, table.right_other / table.other
    variance = first * (1 - first) / table.monotone + second * (1 - second) / table.other
    return Effect(estimate=gap, error=100 * math.sqrt(variance)) if variance > 0 else None


def log_odds_effect(table: TwoByTwo) -> Effect | None:
    """The log odds ratio of a right answer with Woolf's error; None where a count is 0."""
    counts = table.array.ravel()
    if not counts.all():
        return None
    first, second, third, fourth = (float(count) for count in counts)
    error = math.sqrt(sum(1 / count for count in (first, second, third, fourth)))
    return Effect(estimate=math.log(first * fourth / (second * third)), error=error)


def rho_effect(right: Values, wrong: Values) -> Effect | None:
    """atanh of Spearman's rho with the delta method's error, from counts by signal value `(K,)`.

    None where the signal or the outcome is constant, or where they rank each other perfectly.
    """
    z, error = (float(value) for value in fisher_z(right, wrong))
    return Effect(estimate=z, error=error) if np.isfinite(z) and error > 0 else None


def rho_approximation(rho: float, n: int) -> Effect:
    """atanh(rho) with 1/sqrt(n - 3) (n above 3): a stopgap where no table is known.

    It is the error of two continuous normal variables. With a binary outcome and a skewed count
    its 95 % interval covers as little as 61 % (docs/explanation/statistics.md).
    """
    return Effect(estimate=math.atanh(rho), error=1 / math.sqrt(n - 3))
