"""E8: fewer completions per prefix, over every subset of a size.

A subset takes the same sample indices at every prefix, and gives entropies, flag and majority, as
a run with so few completions would. Its mean over all subsets of the size is reported with the
range over subsets, which shows how much of the result is the draw.
"""

from __future__ import annotations

from itertools import combinations

import numpy as np

from cot_entropy.plan.entries.fewer_samples import FewerSamples
from cot_entropy.stats.cells import Cell, Settings, Values
from cot_entropy.stats.explore.bootstrap import Rows, Weights, bootstrap
from cot_entropy.stats.explore.columns import unusable
from cot_entropy.stats.explore.rescore import COLUMNS, Samples, rescored
from cot_entropy.stats.explore.shape_tables import ShapeTables
from cot_entropy.stats.rows import Estimate


def estimate(cell: Cell, entry: FewerSamples, settings: Settings) -> list[Estimate]:
    """By size: mean gap and AUROC of the flag with intervals, range of the gap, mean flag rate."""
    rows = Rows(entry=entry, cell=cell)
    labels = {size: f"{size} of {settings.m}" for size in entry.params.sizes}
    if reason := unusable(COLUMNS, cell, settings.m):
        return [rows.not_run(f"accuracy_gap_pp[{label}]", reason) for label in labels.values()]
    samples = Samples.of(cell, settings.m)
    found: list[Estimate] = []
    for size, label in labels.items():
        if size > settings.m:
            reason = f"there are only {settings.m} samples per prefix"
            found.append(rows.not_assessable(f"accuracy_gap_pp[{label}]", reason))
        else:
            found += _size(rows, settings, samples, size, label)
    return found


def _size(
    rows: Rows, settings: Settings, samples: Samples, size: int, label: str
) -> list[Estimate]:
    cell = rows.cell
    subsets = list(combinations(range(settings.m), size))
    cells = [rescored(cell, samples.take(subset), eps=settings.eps) for subset in subsets]
    tables = ShapeTables.of(cells, [np.full(cell.n, True)] * len(cells))

    def statistic(weights: Weights) -> Values:
        means: Values = np.mean(tables.measure(weights), axis=1)
        return means

    gap, area = bootstrap(cell, settings, statistic)
    n = int(tables.included.sum(axis=1).min())
    note = f"mean over {len(subsets)} subsets"
    undefined = "a shape group or an outcome class is empty in a subset"
    whole = np.ones((cell.n, 1), dtype=np.float32)
    gaps = tables.gap(whole)[:, 0]
    rates = [cell.monotone[cell.shape_defined].mean() for cell in cells if cell.shape_defined.any()]
    return [
        rows.row(f"accuracy_gap_pp[{label}]", gap, n=n, reason=note, undefined=undefined),
        *(
            rows.number(f"accuracy_gap_pp_{name}[{label}]", value, n=n)
            for name, value in (("min", gaps.min()), ("max", gaps.max()))
            if not np.isnan(value)
        ),
        rows.row(f"auroc[shape_flag, {label}]", area, n=n, reason=note, undefined=undefined),
        *([rows.number(f"flag_rate[{label}]", np.mean(rates), n=n, reason=note)] if rates else []),
    ]
