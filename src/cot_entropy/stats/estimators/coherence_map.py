"""E12: where the magnitude null holds: rho of coherence and correctness under each protocol.

The word beside a number is by the bounds and levels of the hypothesis that the plan names, on
percentile intervals; H2's own verdict rests on another interval.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import numpy as np
from scipy import stats

from cot_entropy.plan.entries.coherence_map import CoherenceMap
from cot_entropy.stats.cells import Cell, NullBounds, Settings, Values
from cot_entropy.stats.explore.bootstrap import Rows, Weights, draws, summary
from cot_entropy.stats.rank_correlation import rank_table, spearman
from cot_entropy.stats.rows import Estimate

HOLDS: Final = "null holds"
"""How the reason of a row begins where the interval is inside the bounds."""


def estimate(cell: Cell, entry: CoherenceMap, settings: Settings) -> list[Estimate]:
    """The cell under its own protocol; the p-value is that of rho = 0, as Z26 prints it."""
    statistic = weighted_rho(cell, "coherence")
    defined = ~np.isnan(cell.coherence)
    point = float(statistic(np.ones((cell.n, 1), dtype=np.float32))[0])
    drawn = draws(cell, settings, lambda weights: statistic(weights)[None])[0]
    p_value = None
    if not np.isnan(point):
        found = stats.spearmanr(np.round(cell.coherence[defined], 9), cell.correct[defined])
        p_value = float(found.pvalue)
    row = Rows(entry=entry, cell=cell).row(
        "rho_coherence",
        summary(point, drawn, settings.level),
        n=int(defined.sum()),
        n_correct=int(cell.correct[defined].sum()),
        p_value=p_value,
        reason=null_word(drawn[~np.isnan(drawn)], settings.null) if settings.null else "",
        undefined="coherence or correctness is constant",
    )
    return [row]


def weighted_rho(cell: Cell, column: str) -> Callable[[Weights], Values]:
    """Spearman's rho of a column and correctness as a function of weights `(n, b)`, `(b,)`."""
    table = rank_table(cell.values(column), cell.correct)
    levels, indicator = len(table.levels), table.indicator().T

    def rho(weights: Weights) -> Values:
        sums = (indicator @ weights).astype(np.float64).T
        return spearman(sums[:, :levels], sums[:, levels:])

    return rho


def null_word(drawn: Values, null: NullBounds) -> str:
    """Whether rho is inside the bounds, by percentile intervals of draws `(b,)` without NaN."""
    bounds = f"[{null.low:g}, {null.high:g}]"
    if not drawn.size:
        return "undecided: no resample defines rho"
    low, high = _interval(drawn, null.supported)
    if null.low <= low and high <= null.high:
        return f"{HOLDS}: {null.supported:.0%} interval inside {bounds}"
    low, high = _interval(drawn, null.refuted)
    if high < null.low or low > null.high:
        return f"null does not hold: {null.refuted:.0%} interval outside {bounds}"
    return f"undecided: the interval crosses an end of {bounds}"


def _interval(drawn: Values, level: float) -> tuple[float, float]:
    tail = (1 - level) / 2
    low, high = np.quantile(drawn, [tail, 1 - tail])
    return float(low), float(high)
