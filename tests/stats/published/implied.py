"""What a paper's figures imply about each other: the counts behind them, and what those give.

    printed: n = 300, flag rate 73.7 %, accuracy 68.8 % v 46.8 %
    the one table that fits: 152 of 221 v 37 of 79
    it implies: odds ratio 2.497, Fisher's two-sided p 0.00068

Every table of whole numbers that rounds to the printed figures is found; a figure agrees with its
own counts where at least one table gives it, to the digits printed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy import stats

from cot_entropy.stats.published.counts import Printed, counts_of
from cot_entropy.stats.two_by_two import TwoByTwo, chi_square_p, fisher_p


def later_violations_fit(
    rest: int, right: int, one: Printed, two: Printed
) -> list[tuple[int, int, int, int]]:
    """Ways to split the non-monotone chains that give both printed accuracies exactly.

    `rest` chains with at least one violation, `right` of them right, none with three or more:
    (chains with one, right with one, chains with two, right with two).
    """
    return [
        (size, count, rest - size, right - count)
        for size in range(1, rest)
        for count in counts_of(size, one)
        if 0 <= right - count <= rest - size and two.fits(100 * (right - count) / (rest - size))
    ]


def rho_p(rho: Printed, n: int) -> tuple[float, float]:
    """The least and greatest two-sided p of a rank correlation over its rounding range.

    From t = rho sqrt((n - 2) / (1 - rho^2)) with n - 2 degrees of freedom, as scipy's spearmanr.
    """
    ends = np.array([abs(rho.value) - rho.half_unit, abs(rho.value) + rho.half_unit])
    ends = np.clip(ends, 0.0, 1 - 1e-12)
    high, low = 2 * stats.t.sf(ends * np.sqrt((n - 2) / (1 - ends**2)), n - 2)
    return float(low), float(high)


@dataclass(frozen=True)
class NamedP:
    """A p-value and the test that gives it."""

    name: str
    value: float


def other_p_values(table: TwoByTwo) -> list[NamedP]:
    """The tests beside Fisher's two-sided one that a printed p could come from."""
    chi_square = chi_square_p(table)
    found = [NamedP("one-sided Fisher", fisher_p(table, alternative="greater"))]
    if chi_square is not None:
        found.append(NamedP("uncorrected chi-square", chi_square))
    return found


def ratio_range(part: Printed, whole: Printed) -> tuple[float, float]:
    """Least and greatest part / whole in percent over both rounding ranges (whole above 0)."""
    low = (part.value - part.half_unit) / (whole.value + whole.half_unit)
    high = (part.value + part.half_unit) / (whole.value - whole.half_unit)
    return 100 * low, 100 * high


def mean_range(parts: Sequence[Printed]) -> tuple[float, float]:
    """Least and greatest mean over the rounding ranges."""
    middle = sum(part.value for part in parts) / len(parts)
    slack = sum(part.half_unit for part in parts) / len(parts)
    return middle - slack, middle + slack
