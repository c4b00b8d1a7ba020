"""The percentile bootstrap and the row maker that the E11 estimates share."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from cot_entropy.stats.resampling import Counts, resample_counts
from cot_entropy.stats.rows import Estimate

Flags = NDArray[np.bool_]
Values = NDArray[np.float64]

MakeRow = Callable[..., Estimate]
"""Makes an exploratory row of one cell: `make(quantity, estimate=..., n=...)`."""

Statistic = Callable[[Counts], Values]
"""One value per resample, `(b,)` for counts `(b, n)`; NaN where undefined."""


@dataclass(frozen=True, kw_only=True)
class Resampling:
    """The bootstrap over questions: how many resamples, which seed, and the interval's level."""

    resamples: int
    seed: int
    level: float = 0.95


def interval(
    statistic: Statistic, n: int, resampling: Resampling
) -> tuple[float | None, float | None]:
    """The percentile interval; resamples where the statistic is undefined are left out."""
    blocks = [
        statistic(counts)
        for counts in resample_counts(n, resamples=resampling.resamples, seed=resampling.seed)
    ]
    values = np.concatenate(blocks)
    values = values[~np.isnan(values)]
    if len(values) == 0:
        return None, None
    tail = (1 - resampling.level) / 2
    low, high = np.quantile(values, [tail, 1 - tail])
    return float(low), float(high)
