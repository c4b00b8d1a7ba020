"""The percentile bootstrap of exploratory statistics, and the rows they become.

A statistic is a function of question weights `(n, b)`, one column per resample, returning `(k, b)`:
k numbers, NaN where a resample does not define them. The point estimates are the statistic at
weights of 1, so that estimate and interval cannot come from different code.

Weights are small whole numbers in float32, in which sums of them are exact up to 2^24 questions;
a product with float64 values is float64.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

import numpy as np
from numpy.typing import NDArray

from cot_entropy.plan.exploratory import ExploratoryEntry
from cot_entropy.stats.cells import Cell, Settings, Values
from cot_entropy.stats.rows import Estimate

Weights = NDArray[np.float32]
Statistic = Callable[[Weights], Values]

UNDEFINED: Final = "undefined in this cell"


@dataclass(frozen=True, kw_only=True)
class Bootstrapped:
    """One number with its percentile interval; None where undefined.

    `undefined` counts the resamples, of `resamples`, in which the number had no value; the
    interval is taken over the others.
    """

    estimate: float | None
    low: float | None = None
    high: float | None = None
    undefined: int = 0
    resamples: int = 0


def bootstrap(cell: Cell, settings: Settings, statistic: Statistic) -> list[Bootstrapped]:
    """The statistic's k numbers over all questions, with percentile intervals over resamples."""
    points = statistic(np.ones((cell.n, 1), dtype=np.float32))[:, 0]
    drawn = draws(cell, settings, statistic)
    return [summary(point, draw, settings.level) for point, draw in zip(points, drawn, strict=True)]


def draws(cell: Cell, settings: Settings, statistic: Statistic) -> Values:
    """The statistic's k numbers in every resample of the cell, `(k, resamples)`."""
    blocks = [statistic(block.astype(np.float32)) for block in _resamples(cell, settings)]
    return np.concatenate(blocks, axis=1)


@lru_cache(maxsize=1)
def _resamples(cell: Cell, settings: Settings) -> tuple[NDArray[np.uint16], ...]:
    """The cell's resamples as blocks `(n, b)`, drawn once for all of its entries."""
    return tuple(np.ascontiguousarray(block.T, dtype=np.uint16) for block in cell.counts(settings))


def summary(point: float, draws: Values, level: float) -> Bootstrapped:
    """A number `point` with the percentile interval of its draws `(b,)`, NaN where undefined."""
    if np.isnan(point):
        return Bootstrapped(estimate=None)
    defined = draws[~np.isnan(draws)]
    tail = (1 - level) / 2
    low, high = np.quantile(defined, [tail, 1 - tail]) if defined.size else (None, None)
    return Bootstrapped(
        estimate=float(point) + 0.0,
        low=None if low is None else float(low) + 0.0,
        high=None if high is None else float(high) + 0.0,
        undefined=draws.size - defined.size,
        resamples=draws.size,
    )


def ratio(above: Values, below: Values) -> Values:
    """`above / below`, NaN where `below` is 0; broadcast, without a warning."""
    above, below = np.broadcast_arrays(above, below)
    found: Values = np.divide(above, below, out=np.full(below.shape, np.nan), where=below != 0)
    return found


@dataclass(frozen=True, kw_only=True)
class Rows:
    """Writes the rows of one plan entry for one cell."""

    entry: ExploratoryEntry
    cell: Cell

    def row(
        self,
        quantity: str,
        found: Bootstrapped,
        *,
        n: int | None = None,
        n_monotone: int | None = None,
        n_correct: int | None = None,
        p_value: float | None = None,
        reason: str = "",
        undefined: str = UNDEFINED,
    ) -> Estimate:
        """A row with an estimate, or `not assessable` with `undefined` as the reason."""
        notes = [reason] if reason else []
        if found.estimate is None:
            notes = [undefined]
        if found.undefined:
            notes.append(f"undefined in {found.undefined} of {found.resamples} resamples")
        return Estimate(
            id=self.entry.id,
            cell=self.cell.name,
            quantity=quantity,
            kind="exploratory",
            estimate=found.estimate,
            ci_low=found.low,
            ci_high=found.high,
            p_value=p_value,
            n=n,
            n_monotone=n_monotone,
            n_correct=n_correct,
            verdict="not assessable" if found.estimate is None else None,
            reason="; ".join(notes),
        )

    def number(self, quantity: str, value: float, *, n: int, reason: str = "") -> Estimate:
        """A row for a number that is counted or derived, without an interval."""
        return self.row(quantity, Bootstrapped(estimate=float(value) + 0.0), n=n, reason=reason)

    def not_assessable(self, quantity: str, reason: str, *, n: int | None = None) -> Estimate:
        """A row for a number that these data do not define."""
        return self.row(quantity, Bootstrapped(estimate=None), n=n, undefined=reason)

    def not_run(self, quantity: str, reason: str) -> Estimate:
        """A row for a number whose inputs are absent."""
        return Estimate(
            id=self.entry.id,
            cell=self.cell.name,
            quantity=quantity,
            kind="exploratory",
            verdict="not run",
            reason=reason,
        )
