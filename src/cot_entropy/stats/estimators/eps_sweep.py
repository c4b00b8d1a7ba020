"""E4: the violation threshold varied, and why small ones change nothing.

With m answers per prefix H takes one value per partition of m, so no rise can be smaller than
the smallest difference of two of them: 0.1046 nats for m = 5 (from {3,1,1} to {2,2,1}), 0.003
for m = 10. Every eps from just above 0 to below it gives the same flags, by arithmetic and not
because the finding is robust.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

import numpy as np

from cot_entropy.plan.entries.eps_sweep import EpsSweep
from cot_entropy.signal.entropy import TIE_DECIMALS, plug_in_entropy, violation_counts
from cot_entropy.stats.cells import Cell, Settings, Values
from cot_entropy.stats.explore.bootstrap import Rows
from cot_entropy.stats.explore.shape_tables import ShapeTables, gap_rows
from cot_entropy.stats.rows import Estimate


def partitions(total: int, largest: int | None = None) -> Iterator[tuple[int, ...]]:
    """Every way to split `total` answers into classes, sizes descending."""
    if total == 0:
        yield ()
    for first in range(min(total, largest or total), 0, -1):
        for rest in partitions(total - first, first):
            yield (first, *rest)


def entropy_values(m: int) -> list[float]:
    """The values H can take with m answers, nats, ascending, equal ones once."""
    return sorted({round(plug_in_entropy(sizes), TIE_DECIMALS) for sizes in partitions(m)})


def smallest_rise(m: int) -> float:
    """The smallest rise between two values of H with m >= 2 answers, nats."""
    return min(high - low for low, high in pairwise(entropy_values(m)))


def smallest_observed_rise(entropies: Values) -> float | None:
    """The smallest rise above 0 between any two observed H `(n, K)`, nats; None with one value."""
    values = np.unique(np.round(entropies[~np.isnan(entropies)], TIE_DECIMALS))
    return float(np.diff(values).min()) if len(values) > 1 else None


def estimate(cell: Cell, entry: EpsSweep, settings: Settings) -> list[Estimate]:
    """By eps: flag rate, flags that differ from the registered eps, gap and AUROC of the flag."""
    rows = Rows(entry=entry, cell=cell)
    labels = [f"eps={eps:g}" for eps in entry.params.eps]
    counts = np.array([violation_counts(cell.entropies, eps) for eps in entry.params.eps])
    registered = violation_counts(cell.entropies, settings.eps) == 0
    defined = ~np.isnan(counts)
    correct = np.broadcast_to(cell.correct, counts.shape)
    tables = ShapeTables(monotone=counts == 0, correct=correct, included=defined)
    n = int(defined[0].sum())
    flat = _flat(rows, settings)
    if not n:
        return [*flat, rows.not_assessable("flag_rate", "no question with a defined shape", n=0)]
    rates = (tables.monotone & defined).sum(axis=1) / n
    changed = ((tables.monotone != registered) & defined).sum(axis=1)
    return [
        *flat,
        *(
            rows.number(f"flag_rate[{label}]", rate, n=n)
            for label, rate in zip(labels, rates.tolist(), strict=True)
        ),
        *(
            rows.number(f"flags_changed[{label}]", number, n=n)
            for label, number in zip(labels, changed.tolist(), strict=True)
        ),
        *gap_rows(rows, settings, labels, tables),
    ]


def _flat(rows: Rows, settings: Settings) -> list[Estimate]:
    """The flat region: what m alone implies, and what the cell's own entropies show."""
    m, cell = settings.m, rows.cell
    possible = smallest_rise(m)
    observed = smallest_observed_rise(cell.entropies)
    values = len(entropy_values(m))
    why = (
        f"m = {m} answers give {values} values of H; every eps above 0 and below "
        f"{possible:.4f} nats gives the same flags, whatever the model does"
    )
    holds = (
        "as m alone implies"
        if observed is None or observed > possible - 10.0**-9
        else "smaller than m alone allows: answers were dropped or m differs, the region is shorter"
    )
    found = [rows.number("smallest_possible_rise_nats", possible, n=cell.n, reason=why)]
    name = "smallest_observed_rise_nats"
    if observed is None:
        return [*found, rows.not_assessable(name, "fewer than two values of H", n=cell.n)]
    return [*found, rows.number(name, observed, n=cell.n, reason=holds)]
