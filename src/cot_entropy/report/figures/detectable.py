"""The smallest gap that each cell of this run could have shown, at its own sizes and accuracy."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from cot_entropy.plan.model import Hypothesis, Plan
from cot_entropy.report.figure import Figure, Value
from cot_entropy.report.figures.panels import Interval, interval_panel
from cot_entropy.stats.calibration.exact_gap import GapDesign
from cot_entropy.stats.read_tables import Row
from cot_entropy.stats.two_by_two import GapInterval

GAP: Final = "accuracy_gap_pp"
EXACT: Final[tuple[GapInterval, ...]] = ("newcombe", "agresti_caffo")
"""Deciding intervals whose power is exact."""
WANTED: Final = 0.8


def detectable_by_cell(plan: Plan, verdicts: Sequence[Row]) -> Figure | None:
    """A line per cell from alpha unadjusted to Holm's first step; None where no cell has groups.

    The group sizes and the accuracy are the cell's own, the gap between the groups is varied.
    """
    rules = {one.id: one for one in plan.hypotheses if one.estimand == GAP}
    data: list[list[Value]] = []
    shown: list[Interval] = []
    for row in verdicts:
        if row.id not in rules or not row.n or row.n_correct is None or row.n_monotone is None:
            continue
        family = sum(1 for one in verdicts if (one.id, one.kind) == (row.id, row.kind))
        alphas = (plan.alpha, plan.alpha / family)
        last, first = (_smallest(rules[row.id], row, alpha=alpha) for alpha in alphas)
        shown.append(Interval(label=row.cell, estimate=last, low=last, high=first))
        accuracy, rate = row.n_correct / row.n, row.n_monotone / row.n
        data.append([row.id, row.cell, row.kind, row.n, accuracy, rate, last, first, row.estimate])
    if not shown:
        return None
    widest = max((v for one in shown for v in (one.low, one.high) if v is not None), default=1.0)
    return Figure(
        name="detectable_by_cell",
        plan_ids=tuple(rules),
        title="The smallest gap that each cell of this run detects",
        caption=(
            "Percentage points with 80 % power at the cell's own group sizes and accuracy: the dot "
            "with the p-value unadjusted, the bar up to Holm's first step (no bar: no possible gap "
            "has that power). Not defined: a group is too small, or no possible gap suffices. "
            "What the run found stands in the data."
        ),
        exploratory=all(row.kind == "exploratory" for row in verdicts),
        panels=(
            interval_panel(
                "80 % power",
                shown,
                x=(0.0, 1.05 * widest),
                reference=None,
                unit="gap, percentage points",
                places=1,
            ),
        ),
        columns=(
            *("id", "cell", "kind", "n", "accuracy", "share_monotone"),
            *("gap_pp", "gap_pp_first_step", "found_gap_pp"),
        ),
        rows=data,
    )


def _smallest(hypothesis: Hypothesis, row: Row, *, alpha: float) -> float | None:
    monotone, n = row.n_monotone or 0, row.n or 0
    interval = next((one for one in EXACT if one == hypothesis.interval), None)
    if interval is None or not 0 < monotone < n:
        return None
    design = GapDesign(
        monotone=monotone,
        other=n - monotone,
        interval=interval,
        level=hypothesis.levels.supported,
        alpha=alpha,
        minimum=hypothesis.assessable,
    )
    accuracy = (row.n_correct or 0) / n
    return design.smallest_gap(accuracy, power=WANTED) if 0 < accuracy < 1 else None
