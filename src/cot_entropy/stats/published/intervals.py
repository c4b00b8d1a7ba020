"""Intervals of published figures from their own counts, and of the difference of two values."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from scipy import stats
from statsmodels.stats.proportion import proportion_confint

from cot_entropy.stats.published.implied import counts_of
from cot_entropy.stats.published.model import Figure, Quantity, Study
from cot_entropy.stats.two_by_two import TwoByTwo, gap_interval


@dataclass(frozen=True, kw_only=True)
class Value:
    """A number, its interval where one exists, and what it rests on."""

    estimate: float | None = None
    low: float | None = None
    high: float | None = None
    n: int | None = None


def published_value(
    figure: Figure, study: Study, fitting: Sequence[TwoByTwo], level: float
) -> Value:
    """The published figure with the interval that its counts give.

    Where several tables fit the printed figures, the interval that holds all of theirs.
    """
    value, quantity = figure.number.value, figure.quantity
    blank = Value(estimate=value, n=study.n)
    if quantity in {"rho_coherence", "rho_violations"}:
        brackets = [bonett_wright(value, study.n, level=level)]
    elif quantity == "accuracy_percent":
        counts = counts_of(study.n, figure.number)
        brackets = [_wilson(count, study.n, level) for count in counts]
    else:
        brackets = [
            bracket
            for table in fitting
            if (bracket := _from_table(quantity, table, level)) is not None
        ]
    if not brackets:
        return blank
    return replace(
        blank, low=min(low for low, _ in brackets), high=max(high for _, high in brackets)
    )


def _from_table(quantity: Quantity, table: TwoByTwo, level: float) -> tuple[float, float] | None:
    if quantity == "accuracy_gap_pp":
        cells = table.array.ravel().astype(np.float64)
        low, high = gap_interval(*cells, method="newcombe", level=level)
        return float(low), float(high)
    if quantity in {"accuracy_monotone_percent", "accuracy_0_violations_percent"}:
        return _wilson(table.right_monotone, table.monotone, level)
    if quantity == "accuracy_non_monotone_percent":
        return _wilson(table.right_other, table.other, level)
    if quantity == "flag_rate_percent":
        return _wilson(table.monotone, table.monotone + table.other, level)
    return None


def _wilson(part: int, whole: int, level: float) -> tuple[float, float]:
    low, high = proportion_confint(part, whole, alpha=1 - level, method="wilson")
    return 100 * float(low), 100 * float(high)


def bonett_wright(rho: float, n: int, *, level: float) -> tuple[float, float]:
    """Interval of Spearman's rho by Fisher's z with variance (1 + rho^2 / 2) / (n - 3), n > 3.

    Bonett and Wright 2000, Psychometrika 65: 23-28.
    """
    z = stats.norm.ppf((1 + level) / 2) * math.sqrt((1 + rho**2 / 2) / (n - 3))
    middle = math.atanh(rho)
    return math.tanh(middle - z), math.tanh(middle + z)


def mover(ours: Value, theirs: Value) -> tuple[float | None, float | None]:
    """Interval of ours - theirs from the two intervals; (None, None) where one is missing."""
    bounds = (ours.estimate, ours.low, ours.high, theirs.estimate, theirs.low, theirs.high)
    if any(bound is None for bound in bounds):
        return None, None
    a, a_low, a_high, b, b_low, b_high = (float(bound) for bound in bounds if bound is not None)
    low = a - b - math.hypot(a - a_low, b_high - b)
    return low, a - b + math.hypot(a_high - a, b - b_low)
