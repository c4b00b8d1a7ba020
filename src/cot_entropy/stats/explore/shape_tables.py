"""Shape flag by outcome, for many variants of either at once: H1's gap, and the flag's AUROC."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from cot_entropy.stats.cells import Cell, Flags, Settings, Values
from cot_entropy.stats.explore.bootstrap import Rows, Weights, bootstrap, ratio
from cot_entropy.stats.rows import Estimate


@dataclass(frozen=True, eq=False)
class ShapeTables:
    """k variants over n questions: who is monotone, who is right, who is in, each `(k, n)`."""

    monotone: Flags
    correct: Flags
    included: Flags

    @classmethod
    def of(cls, cells: Sequence[Cell], included: Sequence[Flags]) -> ShapeTables:
        """One variant per cell of the same questions: those included whose shape is defined."""
        pairs = zip(cells, included, strict=True)
        return cls(
            np.array([cell.monotone for cell in cells]),
            np.array([cell.correct for cell in cells]),
            np.array([cell.shape_defined & kept for cell, kept in pairs]),
        )

    @cached_property
    def _marks(self) -> Weights:
        """Who is included, and of those right, monotone, and both, `(4 k, n)`."""
        within = self.included
        right, monotone = within & self.correct, within & self.monotone
        marks: Weights = np.concatenate([within, right, monotone, right & monotone]).astype(
            np.float32
        )
        return marks

    def measure(self, weights: Weights) -> tuple[Values, Values]:
        """The gap in percentage points and the flag's AUROC, each `(k, b)`.

        The gap is the accuracy of monotone less that of other chains. The AUROC of a flag is
        (1 + P(monotone | right) - P(monotone | wrong)) / 2.
        """
        sums = (self._marks @ weights).astype(np.float64)
        every, right, monotone, both = np.split(sums, 4)
        gap = ratio(both, monotone) - ratio(right - both, every - monotone)
        lead = ratio(both, right) - ratio(monotone - both, every - right)
        return 100 * gap, (1 + lead) / 2

    def gap(self, weights: Weights) -> Values:
        """The gap alone, percentage points, `(k, b)`."""
        return self.measure(weights)[0]

    def undefined(self, variant: int) -> str:
        """Why a variant has no gap, or none of its numbers."""
        included = self.included[variant]
        if not included.any():
            return "no question with a defined shape"
        monotone = self.monotone[variant][included]
        if monotone.all() or not monotone.any():
            return "no non-monotone chain" if monotone.all() else "no monotone chain"
        return "one outcome class"


def gap_rows(
    rows: Rows, settings: Settings, labels: Sequence[str], tables: ShapeTables
) -> list[Estimate]:
    """For each variant `accuracy_gap_pp[label]` and `auroc[shape_flag, label]`."""
    found = bootstrap(
        rows.cell,
        settings,
        lambda weights: np.concatenate(tables.measure(weights)),
    )
    n = tables.included.sum(axis=1).tolist()
    n_monotone = (tables.included & tables.monotone).sum(axis=1).tolist()
    n_correct = (tables.included & tables.correct).sum(axis=1).tolist()
    names = [f"accuracy_gap_pp[{label}]" for label in labels]
    names += [f"auroc[shape_flag, {label}]" for label in labels]
    k = len(labels)
    return [
        rows.row(
            name,
            value,
            n=n[index % k],
            n_monotone=n_monotone[index % k],
            n_correct=n_correct[index % k],
            undefined=tables.undefined(index % k),
        )
        for index, (name, value) in enumerate(zip(names, found, strict=True))
    ]
