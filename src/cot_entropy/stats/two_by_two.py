"""Shape flag against correctness: the gap, the odds ratios, Fisher's test, intervals.

From four counts alone, so that published counts give published statistics: 152 of 221 monotone
and 37 of 79 other chains right (Z26, pilot) is a gap of 21.9 points and an odds ratio of 2.50.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, Self

import numpy as np
from numpy.typing import NDArray
from scipy import stats
from scipy.stats.contingency import odds_ratio
from statsmodels.stats.proportion import confint_proportions_2indep

Values = NDArray[np.float64]
GapInterval = Literal["newcombe", "agresti_caffo"]


@dataclass(frozen=True, kw_only=True)
class TwoByTwo:
    """Right and wrong answers among monotone and among the other chains."""

    right_monotone: int
    wrong_monotone: int
    right_other: int
    wrong_other: int

    @classmethod
    def of(cls, counts: Sequence[int]) -> Self:
        """From right and wrong among monotone chains, then right and wrong among the others."""
        first, second, third, fourth = counts
        return cls(
            right_monotone=first, wrong_monotone=second, right_other=third, wrong_other=fourth
        )

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
    def array(self) -> NDArray[np.int64]:
        """`(2, 2)` as scipy takes it: groups in rows, right before wrong."""
        return np.array(
            [
                [self.right_monotone, self.wrong_monotone],
                [self.right_other, self.wrong_other],
            ]
        )


def accuracy_gap(
    right_monotone: Values, wrong_monotone: Values, right_other: Values, wrong_other: Values
) -> Values:
    """accuracy(monotone) - accuracy(other), percentage points, elementwise; NaN: empty group."""
    monotone = _share(right_monotone, right_monotone + wrong_monotone)
    return 100 * (monotone - _share(right_other, right_other + wrong_other))


def _share(part: Values, whole: Values) -> Values:
    share: Values = np.divide(part, whole, out=np.full(np.shape(whole), np.nan), where=whole > 0)
    return share


def gap_of(table: TwoByTwo) -> float | None:
    """The gap in percentage points; None where a group is empty."""
    if not table.monotone or not table.other:
        return None
    return 100 * (table.right_monotone / table.monotone - table.right_other / table.other)


def fisher_p(
    table: TwoByTwo, *, alternative: Literal["two-sided", "greater", "less"] = "two-sided"
) -> float:
    """Fisher's exact p (scipy); `greater`: monotone chains are more often right."""
    return float(stats.fisher_exact(table.array, alternative=alternative).pvalue)


def chi_square_p(table: TwoByTwo) -> float | None:
    """Pearson's chi-square p without continuity correction; None where a margin is 0."""
    if not all((table.monotone, table.other, table.right, table.wrong)):
        return None
    return float(stats.chi2_contingency(table.array, correction=False).pvalue)


@dataclass(frozen=True, kw_only=True)
class OddsRatio:
    """An odds ratio and its 95 % interval; a None bound is infinite or undefined."""

    estimate: float | None
    low: float | None
    high: float | None


def sample_odds_ratio(table: TwoByTwo, *, level: float) -> OddsRatio:
    """The cross-product ratio with Woolf's interval; undefined where a count is 0."""
    if not table.array.all():
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
    result = odds_ratio(table.array, kind=kind)
    interval = result.confidence_interval(confidence_level=level)
    finite = [
        float(value) if np.isfinite(value) else None
        for value in (result.statistic, interval.low, interval.high)
    ]
    return OddsRatio(estimate=finite[0], low=finite[1], high=finite[2])


def gap_interval(
    right_monotone: Values,
    wrong_monotone: Values,
    right_other: Values,
    wrong_other: Values,
    *,
    method: GapInterval,
    level: float,
) -> tuple[Values, Values]:
    """Interval of the gap from counts, percentage points, elementwise (statsmodels; groups > 0).

    `newcombe`: hybrid score interval, method 10 of Newcombe 1998 (Statistics in Medicine 17:
    873-890), without continuity correction. `agresti_caffo`: Wald's interval after one right and
    one wrong answer are added to each group (Agresti and Caffo 2000, American Statistician 54).
    """
    names = {"newcombe": "newcomb", "agresti_caffo": "agresti-caffo"}
    low, high = confint_proportions_2indep(
        right_monotone,
        right_monotone + wrong_monotone,
        right_other,
        right_other + wrong_other,
        method=names[method],
        compare="diff",
        alpha=1 - level,
    )
    return 100 * low, 100 * high
