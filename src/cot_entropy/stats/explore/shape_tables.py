"""Shape flag by outcome, for many variants of either at once: H1's gap, and the flag's AUROC."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from cot_entropy.stats.cells import Cell, Flags, Settings, Values
from cot_entropy.stats.explore.bootstrap import Rows, bootstrap, ratio
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

    def accuracies(self, weights: Values) -> tuple[Values, Values]:
        """Share right among monotone and among other chains, each `(k, b)`."""
        yes, no = self.included & self.monotone, self.included & ~self.monotone
        return _share(self.correct, yes, weights), _share(self.correct, no, weights)

    def gap(self, weights: Values) -> Values:
        """Accuracy of monotone less that of other chains, percentage points, `(k, b)`."""
        monotone, others = self.accuracies(weights)
        return 100 * (monotone - others)

    def auroc(self, weights: Values) -> Values:
        """AUROC of the flag, (1 + P(monotone | right) - P(monotone | wrong)) / 2, `(k, b)`."""
        right, wrong = self.included & self.correct, self.included & ~self.correct
        hits, alarms = _share(self.monotone, right, weights), _share(self.monotone, wrong, weights)
        return (1 + hits - alarms) / 2

    def undefined(self, variant: int) -> str:
        """Why a variant has no gap, or none of its numbers."""
        included = self.included[variant]
        if not included.any():
            return "no question with a defined shape"
        monotone = self.monotone[variant][included]
        if monotone.all() or not monotone.any():
            return "no non-monotone chain" if monotone.all() else "no monotone chain"
        return "one outcome class"


def _share(marked: Flags, among: Flags, weights: Values) -> Values:
    return ratio((marked & among).astype(np.float64) @ weights, among.astype(np.float64) @ weights)


def gap_rows(
    rows: Rows, settings: Settings, labels: Sequence[str], tables: ShapeTables
) -> list[Estimate]:
    """For each variant `accuracy_gap_pp[label]` and `auroc[shape_flag, label]`."""
    found = bootstrap(
        rows.cell,
        settings,
        lambda weights: np.concatenate([tables.gap(weights), tables.auroc(weights)]),
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
