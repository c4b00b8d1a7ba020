"""Shape flag against correctness: the gap, the odds ratios, Fisher's test, Newcombe's interval.

From four counts alone, so that published counts give published statistics: 152 of 221 monotone
and 37 of 79 other chains right (Z26, pilot) is a gap of 21.9 points and an odds ratio of 2.50.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from scipy import stats
from scipy.stats.contingency import odds_ratio

Values = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True)
class TwoByTwo:
    """Right and wrong answers among monotone and among the other chains."""

    right_monotone: int
    wrong_monotone: int
    right_other: int
    wrong_other: int

    @property
    def monotone(self) -> int:
        """Monotone chains."""
        return self.right_monotone + self.wrong_monotone

    @property
    def other(self) -> int:
        """Chains with at least one violation."""
        return self.right_other + self.wrong_other

    @property
    def right(self) -> int:
        """Right answers among chains with a defined shape."""
        return self.right_monotone + self.right_other

    @property
    def wrong(self) -> int:
        """Wrong answers among chains with a defined shape."""
        return self.wrong_monotone + self.wrong_other

    @property
    def rows(self) -> list[list[int]]:
        """The table as scipy takes it: groups in rows, right before wrong."""
        return [
            [self.right_monotone, self.wrong_monotone],
            [self.right_other, self.wrong_other],
        ]


def accuracy_gap(
    right_monotone: Values, wrong_monotone: Values, right_other: Values, wrong_other: Values
) -> Values:
    """accuracy(monotone) - accuracy(other), percentage points, elementwise; NaN: empty group."""
    return 100 * (
        _share(right_monotone, right_monotone + wrong_monotone)
        - _share(right_other, right_other + wrong_other)
    )


def _share(part: Values, whole: Values) -> Values:
    return np.divide(part, whole, out=np.full(np.shape(whole), np.nan), where=whole > 0)


def gap_of(table: TwoByTwo) -> float | None:
    """The gap in percentage points; None where a group is empty."""
    if not table.monotone or not table.other:
        return None
    return 100 * (table.right_monotone / table.monotone - table.right_other / table.other)


def fisher_p(
    table: TwoByTwo, *, alternative: Literal["two-sided", "greater", "less"] = "two-sided"
) -> float:
    """Fisher's exact p (scipy); `greater`: monotone chains are more often right."""
    return float(stats.fisher_exact(table.rows, alternative=alternative).pvalue)


def chi_square_p(table: TwoByTwo) -> float | None:
    """Pearson's chi-square p without continuity correction; None where a margin is 0."""
    if not all((table.monotone, table.other, table.right, table.wrong)):
        return None
    return float(stats.chi2_contingency(table.rows, correction=False).pvalue)


@dataclass(frozen=True, kw_only=True)
class OddsRatio:
    """An odds ratio and its 95 % interval; a None bound is infinite or undefined."""

    estimate: float | None
    low: float | None
    high: float | None


def sample_odds_ratio(table: TwoByTwo, *, level: float) -> OddsRatio:
    """The cross-product ratio with Woolf's interval; undefined where a count is 0."""
    if not all((*table.rows[0], *table.rows[1])):
        return OddsRatio(estimate=None, low=None, high=None)
    return _odds_ratio(table, level=level, kind="sample")


def conditional_odds_ratio(table: TwoByTwo, *, level: float) -> OddsRatio:
    """The conditional maximum likelihood estimate with the exact interval (scipy).

    Infinite estimates and bounds are None: no upper bound is known.
    """
    if not all((table.monotone, table.other, table.right, table.wrong)):
        return OddsRatio(estimate=None, low=None, high=None)
    return _odds_ratio(table, level=level, kind="conditional")


def _odds_ratio(
    table: TwoByTwo, *, level: float, kind: Literal["sample", "conditional"]
) -> OddsRatio:
    result = odds_ratio(table.rows, kind=kind)
    interval = result.confidence_interval(confidence_level=level)
    finite = [
        float(value) if np.isfinite(value) else None
        for value in (result.statistic, interval.low, interval.high)
    ]
    return OddsRatio(estimate=finite[0], low=finite[1], high=finite[2])


def wilson(right: Values, n: Values, z: float) -> tuple[Values, Values]:
    """Wilson's score interval of proportions at the normal quantile z, elementwise (n > 0)."""
    share = right / n
    middle = (share + z**2 / (2 * n)) / (1 + z**2 / n)
    half = z / (1 + z**2 / n) * np.sqrt(share * (1 - share) / n + z**2 / (4 * n**2))
    return middle - half, middle + half


def newcombe(
    right_monotone: Values,
    wrong_monotone: Values,
    right_other: Values,
    wrong_other: Values,
    *,
    level: float,
) -> tuple[Values, Values]:
    """Newcombe's hybrid score interval of the gap, percentage points, elementwise (groups > 0).

    Method 10 of Newcombe 1998 (Statistics in Medicine 17: 873-890), from two Wilson intervals.
    """
    z = float(stats.norm.ppf((1 + level) / 2))
    monotone, other = right_monotone + wrong_monotone, right_other + wrong_other
    first, second = right_monotone / monotone, right_other / other
    low_1, high_1 = wilson(right_monotone, monotone, z)
    low_2, high_2 = wilson(right_other, other, z)
    gap = first - second
    low = gap - np.sqrt((first - low_1) ** 2 + (high_2 - second) ** 2)
    high = gap + np.sqrt((high_1 - first) ** 2 + (second - low_2) ** 2)
    return 100 * low, 100 * high
