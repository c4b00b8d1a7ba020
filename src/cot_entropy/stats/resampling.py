"""The bootstrap over questions: every resample is a vector of counts, drawn once and shared.

A resample of n questions is the number of times each was drawn, so a statistic is written as a
function of a block of counts `(b, n)` and evaluates b resamples at once. Paired differences use
the same counts for both sides.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

Counts = NDArray[np.int32]
Values = NDArray[np.float64]
Statistic = Callable[[Counts], Values]

BLOCK = 500


def resample_counts(n: int, *, resamples: int, seed: int, block: int = BLOCK) -> Iterator[Counts]:
    """Yield blocks `(b, n)` of how often each of n questions is drawn; rows sum to n.

    The draws are those of `rng.integers(n, size=(b, n))` with `rng = default_rng(seed)`, so that
    scipy.stats.bootstrap's resamples can be rebuilt from the same generator.
    """
    rng = np.random.default_rng(seed)
    for start in range(0, resamples, block):
        rows = min(block, resamples - start)
        draws = rng.integers(n, size=(rows, n))
        offsets = np.arange(rows)[:, None] * n
        flat = np.bincount((draws + offsets).ravel(), minlength=rows * n)
        yield flat.reshape(rows, n).astype(np.int32)


def bootstrap(blocks: Iterable[Counts], statistics: Sequence[Statistic]) -> list[Values]:
    """Evaluate several statistics, each `(b, n) -> (b, ...)`, in one pass over the resamples."""
    drawn: list[list[Values]] = [[] for _ in statistics]
    for counts in blocks:
        for values, statistic in zip(drawn, statistics, strict=True):
            values.append(statistic(counts))
    return [np.concatenate(values) for values in drawn]
