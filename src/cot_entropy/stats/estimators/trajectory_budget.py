"""E5: what the first transitions give: their share of the gap, and of the tokens.

The flag from the first j transitions looks at H_0..H_j only and costs the completions of those
j + 1 prefixes. A chain with fewer units is complete earlier. Z26 reports 76 % of the gap at
60 % of the tokens for j = 2.
"""

from __future__ import annotations

import numpy as np

from cot_entropy.plan.entries.trajectory_budget import TrajectoryBudget
from cot_entropy.signal.entropy import violation_counts
from cot_entropy.stats.cells import Cell, Settings, Values
from cot_entropy.stats.explore.bootstrap import Rows, Weights, bootstrap, ratio
from cot_entropy.stats.explore.columns import absent, padded
from cot_entropy.stats.explore.shape_tables import ShapeTables, gap_rows
from cot_entropy.stats.rows import Estimate

COLUMN = "probe_tokens_by_prefix"


def estimate(cell: Cell, entry: TrajectoryBudget, settings: Settings) -> list[Estimate]:
    """By j: gap, AUROC, share of the whole trajectory's gap (percent) and of its tokens."""
    rows = Rows(entry=entry, cell=cell)
    longest = cell.entropies.shape[1] - 1
    budgets = [j for j in entry.params.transitions if j <= longest]
    labels = [f"first {j}" for j in budgets]
    beyond = [
        rows.not_assessable(f"accuracy_gap_pp[first {j}]", f"the longest chain has {longest} units")
        for j in entry.params.transitions
        if j > longest
    ]
    if not budgets:
        return beyond
    counts = np.array(
        [violation_counts(cell.entropies[:, : j + 1], settings.eps) for j in (*budgets, longest)]
    )
    tables = ShapeTables(
        monotone=counts == 0,
        correct=np.broadcast_to(cell.correct, counts.shape),
        included=~np.isnan(counts),
    )
    return [
        *gap_rows(rows, settings, [*labels, "all"], tables),
        *_gap_shares(rows, settings, labels, tables),
        *_token_shares(rows, settings, labels, budgets),
        *beyond,
    ]


def _gap_shares(
    rows: Rows, settings: Settings, labels: list[str], tables: ShapeTables
) -> list[Estimate]:
    def shares(weights: Weights) -> Values:
        gaps = tables.gap(weights)
        return 100 * ratio(gaps[:-1], gaps[-1:])

    return [
        rows.row(
            f"gap_share_percent[{label}]",
            share,
            n=int(tables.included[index].sum()),
            undefined="the whole trajectory's gap, or this one, is undefined or 0",
        )
        for index, (label, share) in enumerate(
            zip(labels, bootstrap(rows.cell, settings, shares), strict=True)
        )
    ]


def _token_shares(
    rows: Rows, settings: Settings, labels: list[str], budgets: list[int]
) -> list[Estimate]:
    cell = rows.cell
    if reason := absent([COLUMN], cell):
        return [rows.not_run(f"token_share_percent[{label}]", reason) for label in labels]
    by_prefix = padded(cell.frame[COLUMN], fill=0)
    known = by_prefix.any(axis=1)
    spent = np.array([by_prefix[:, : j + 1].sum(axis=1) for j in (*budgets, by_prefix.shape[1])])

    def shares(weights: Weights) -> Values:
        totals: Values = spent @ weights
        return 100 * ratio(totals[:-1], totals[-1:])

    return [
        rows.row(
            f"token_share_percent[{label}]",
            share,
            n=int(known.sum()),
            reason="completion tokens",
            undefined="no completion tokens",
        )
        for label, share in zip(labels, bootstrap(cell, settings, shares), strict=True)
    ]
