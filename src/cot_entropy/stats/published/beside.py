"""Our number beside a published figure: which rows measure it, and the difference."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from statsmodels.stats.proportion import proportion_confint

from cot_entropy.stats.estimators.coherence_map import HOLDS
from cot_entropy.stats.published.intervals import Value, mover
from cot_entropy.stats.published.model import Ours
from cot_entropy.stats.published.row import Comparison
from cot_entropy.stats.rows import Estimate


def set_beside(
    blank: Comparison,
    ours: Ours,
    theirs: Value,
    rows: Sequence[Estimate],
    level: float,
) -> Comparison:
    """A published figure's row with our number, or the reason why there is none, beside it."""
    by_name = {
        name: [row for row in rows if (row.id, row.quantity) == (ours.id, name)]
        for name in (ours.quantity, *ours.mean_with)
    }
    chosen = by_name[ours.quantity]
    named = replace(blank, id=ours.id)
    if ours.field.startswith("cells_"):
        return _counted(named, ours, chosen)
    if not all(by_name.values()):
        why = "no such row of ours: the cell or variant was not run, or does not reach it"
        return replace(named, difference_note=why)
    if ours.field == "pooled" or ours.mean_with:
        several = chosen if ours.field == "pooled" else [found[0] for found in by_name.values()]
        return _of_several(named, ours, theirs, several)
    row = chosen[0]
    filled = with_ours(named, row)
    if ours.field != "estimate":
        filled = replace(filled, ours_verdict=None)
    value = _our_value(row, ours, level)
    if value.estimate is None:
        return replace(filled, ours=None, difference_note=row.reason or "undefined in ours")
    if ours.field == "p_value":
        shown = replace(filled, ours=value.estimate, ours_ci_low=None, ours_ci_high=None)
        return replace(shown, difference_note="p-values are not subtracted")
    low, high = mover(value, theirs)
    missing = "" if low is not None else _why_no_interval(value, theirs)
    return replace(
        filled,
        ours=value.estimate,
        ours_ci_low=value.low,
        ours_ci_high=value.high,
        ours_n=value.n,
        difference=None if theirs.estimate is None else value.estimate - theirs.estimate,
        difference_ci_low=low,
        difference_ci_high=high,
        difference_note=missing,
    )


def _of_several(
    row: Comparison, ours: Ours, theirs: Value, chosen: Sequence[Estimate]
) -> Comparison:
    """The mean of several rows beside one figure, without an interval; `pooled` by their n."""
    weights = [one.n or 0 for one in chosen] if ours.field == "pooled" else [1] * len(chosen)
    values = [one.estimate for one in chosen]
    defined = [value for value in values if value is not None]
    if len(defined) < len(values) or not sum(weights):
        return replace(row, difference_note="undefined in ours")
    mean = ours.times * float(np.average(defined, weights=weights))
    return replace(
        row,
        ours=mean,
        ours_n=sum(one.n or 0 for one in chosen) if ours.field == "pooled" else chosen[0].n,
        ours_kind="exploratory",
        difference=None if theirs.estimate is None else mean - theirs.estimate,
        difference_note=f"no interval: ours is the mean of {len(chosen)} rows",
    )


def with_ours(row: Comparison, ours: Estimate) -> Comparison:
    """A row with the numbers of one of ours."""
    return replace(
        row,
        ours=ours.estimate,
        ours_ci_low=ours.ci_low,
        ours_ci_high=ours.ci_high,
        ours_n=ours.n,
        ours_kind=ours.kind,
        ours_verdict=ours.verdict,
        difference_note=ours.reason,
    )


def _counted(row: Comparison, ours: Ours, chosen: Sequence[Estimate]) -> Comparison:
    """In how many cells our row lies above 0, below 0, or misses the null."""
    defined = [one for one in chosen if one.estimate is not None]
    if not defined:
        return replace(row, difference_note="no registered cell of ours has this row")
    counts = {
        "cells_above_zero": sum((one.estimate or 0) > 0 for one in defined),
        "cells_below_zero": sum((one.estimate or 0) < 0 for one in defined),
        "cells_missing_the_null": sum(not one.reason.startswith(HOLDS) for one in defined),
    }
    note = f"{counts[ours.field]} of the {len(defined)} registered cells run"
    return replace(
        row, ours=float(counts[ours.field]), ours_kind="exploratory", difference_note=note
    )


def _our_value(row: Estimate, ours: Ours, level: float) -> Value:
    times = ours.times
    if ours.field == "p_value":
        return Value(estimate=row.p_value, n=row.n)
    if ours.field == "share_correct":
        if not row.n or row.n_correct is None:
            return Value()
        share = row.n_correct / row.n
        low, high = proportion_confint(row.n_correct, row.n, alpha=1 - level, method="wilson")
        return Value(estimate=times * share, low=times * low, high=times * high, n=row.n)
    scaled = [None if v is None else times * v for v in (row.estimate, row.ci_low, row.ci_high)]
    return Value(estimate=scaled[0], low=scaled[1], high=scaled[2], n=row.n)


def _why_no_interval(ours: Value, theirs: Value) -> str:
    if theirs.low is None:
        return "no interval: the published counts are not known"
    return "no interval: our row has none"
