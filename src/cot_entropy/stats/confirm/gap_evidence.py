"""H1 and H4a: the accuracy gap between monotone and other chains."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from cot_entropy.plan.model import Bounds, Interval, PValue
from cot_entropy.stats import intervals
from cot_entropy.stats.cells import Cell
from cot_entropy.stats.confirm.evidence import Detail, Sizes, share_detail, undefined_shape_detail
from cot_entropy.stats.intervals import Bracket
from cot_entropy.stats.two_by_two import (
    OddsRatio,
    TwoByTwo,
    accuracy_gap,
    chi_square_p,
    conditional_odds_ratio,
    fisher_p,
    gap_interval,
    gap_of,
    sample_odds_ratio,
)

Values = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class GapSample:
    """A cell's shape flags against correctness."""

    cell: Cell

    @property
    def memberships(self) -> NDArray[np.float32]:
        """`(n, 4)`: right and wrong among monotone chains, right and wrong among the others."""
        cell = self.cell
        groups = (cell.monotone, cell.shape_defined & ~cell.monotone)
        outcomes = (cell.correct, ~cell.correct)
        return np.column_stack([group & side for group in groups for side in outcomes]).astype(
            np.float32
        )

    @property
    def table(self) -> TwoByTwo:
        """The cell's own counts."""
        return TwoByTwo.of(self.memberships.sum(axis=0, dtype=np.int64).tolist())

    def statistic(self, counts: NDArray[np.int32]) -> Values:
        """The gap of each resample, percentage points, `(b,)`; NaN where a group is empty."""
        tables = (counts.astype(np.float32) @ self.memberships).astype(np.float64)
        return accuracy_gap(*tables.T)

    def evidence(self, draws: Values) -> GapEvidence:
        """Judge the gap on the draws `(B,)`."""
        return GapEvidence(self.cell, self.table, draws)


@dataclass(frozen=True, eq=False)
class GapEvidence:
    """The gap in percentage points with its intervals and Fisher's test."""

    cell: Cell
    table: TwoByTwo
    draws: Values

    @property
    def sizes(self) -> Sizes:
        """Chains with a defined shape, by group."""
        table = self.table
        return Sizes(
            questions=table.monotone + table.other,
            correct=table.right,
            groups={"monotone chains": table.monotone, "non-monotone chains": table.other},
        )

    @property
    def estimate(self) -> float | None:
        """The gap, percentage points; None where a group is empty."""
        return gap_of(self.table)

    @property
    def dropped(self) -> int:
        """Resamples that emptied a group."""
        return intervals.undefined_draws(self.draws)

    def interval(self, name: Interval, *, level: float) -> Bracket | None:
        """Percentage points; None where a group is empty."""
        if self.estimate is None:
            return None
        if name in {"newcombe", "agresti_caffo"}:
            table = self.table.array.ravel().astype(np.float64)
            low, high = gap_interval(*table, method=name, level=level)
            return Bracket(float(low), float(high))
        if name == "percentile":
            return intervals.percentile(self.draws, level=level)
        raise NotImplementedError(f"{name} for the accuracy gap")

    def p_value(self, name: PValue, bounds: Bounds) -> float | None:
        """Fisher's two-sided p of no association; None where a group is empty."""
        return None if self.estimate is None else fisher_p(self.table)

    def details(self, *, level: float) -> Iterator[Detail]:
        """Odds ratios, uncorrected chi-square, accuracy and size of each group."""
        table = self.table
        yield _odds("odds_ratio_sample", sample_odds_ratio(table, level=level))
        yield _odds("odds_ratio_conditional", conditional_odds_ratio(table, level=level))
        yield Detail(quantity="chi_square_uncorrected", p_value=chi_square_p(table))
        groups = (
            ("monotone", table.right_monotone, table.monotone),
            ("non_monotone", table.right_other, table.other),
        )
        for name, right, size in groups:
            yield share_detail(f"accuracy_{name}", right, size, level=level)
        yield share_detail("flag_rate", table.monotone, table.monotone + table.other, level=level)
        yield undefined_shape_detail(self.cell)


def _odds(quantity: str, ratio: OddsRatio) -> Detail:
    missing = "" if ratio.estimate is not None else "infinite or undefined: a count is 0"
    return Detail(
        quantity=quantity,
        estimate=ratio.estimate,
        low=ratio.low,
        high=ratio.high,
        reason=missing,
    )
