"""Closed testing beside Holm: the same family error, never fewer rejections.

Closed testing rejects a cell where every set of cells that holds it is rejected by a local test.
With Simes's test this is Hommel's procedure (1988; statsmodels). It needs the p-values to be
independent or positively dependent, which cells that share questions are taken to be; Holm needs
nothing.
"""

from __future__ import annotations

from collections.abc import Sequence

from statsmodels.stats.multitest import multipletests


def closed_testing(p_values: Sequence[float | None]) -> list[float | None]:
    """Adjusted p-values; None, a cell without one, counts as p = 1 and stays None."""
    if not p_values:
        return []
    filled = [1.0 if p is None else p for p in p_values]
    adjusted = multipletests(filled, method="hommel")[1]
    return [
        None if given is None else float(value)
        for given, value in zip(p_values, adjusted, strict=True)
    ]


def true_discoveries(p_values: Sequence[float | None], *, alpha: float) -> int:
    """At least so many of the cells have an effect, with confidence 1 - alpha.

    All cells less the largest set that Simes's test does not reject (Goeman and Solari 2011,
    Statistical Science 26: 584-597). Of the sets of one size, that of the largest p-values is the
    last to be rejected.
    """
    ordered = sorted(1.0 if p is None else p for p in p_values)
    sizes = range(len(ordered), 0, -1)
    kept = (size for size in sizes if _simes(ordered[len(ordered) - size :]) > alpha)
    return len(ordered) - next(kept, 0)


def _simes(ordered: Sequence[float]) -> float:
    """Simes's p of ascending p-values."""
    return min(len(ordered) * p / rank for rank, p in enumerate(ordered, start=1))
