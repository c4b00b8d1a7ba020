"""Estimators that are registered and not run on the trajectories of one cell alone."""

from __future__ import annotations

from collections.abc import Callable

from cot_entropy.plan.exploratory import ExploratoryEntry
from cot_entropy.stats.cells import Cell, Settings
from cot_entropy.stats.explore.bootstrap import Rows
from cot_entropy.stats.rows import Estimate


def not_run(reason: str) -> Callable[[Cell, ExploratoryEntry, Settings], list[Estimate]]:
    """An estimator whose only row is `not run`, named after the plan's estimator."""

    def estimate(cell: Cell, entry: ExploratoryEntry, settings: Settings) -> list[Estimate]:
        return [Rows(entry=entry, cell=cell).not_run(entry.estimator, reason)]

    return estimate
