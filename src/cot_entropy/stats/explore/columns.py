"""List columns of the trajectories as padded arrays: one row per question, one place per prefix.

There is always a place for prefix 0, even where no question has a prefix.
"""

from __future__ import annotations

from collections.abc import Sequence, Sized
from typing import Any

import numpy as np
import pandas as pd

from cot_entropy.errors import DataError
from cot_entropy.stats.cells import Values


def padded(column: pd.Series[Any], *, fill: float = np.nan) -> Values:
    """Numbers per prefix `(n, K)`, `fill` past each chain's end and where a question has null."""
    lists = [() if value is None else value for value in column]
    found = np.full((len(lists), _width(lists)), fill)
    for index, row in enumerate(lists):
        found[index, : len(row)] = row
    return found


def padded_samples(column: pd.Series[Any], m: int, *, fill: float = np.nan) -> Values:
    """Numbers per prefix and sample `(n, K, m)`, padded with `fill`; a null sample is NaN.

    Raises DataError where a prefix does not hold m samples.
    """
    lists = [() if value is None else value for value in column]
    found = np.full((len(lists), _width(lists), m), fill)
    for index, prefixes in enumerate(lists):
        for depth, samples in enumerate(prefixes):
            if len(samples) != m:
                raise DataError(
                    f"row {index + 1}: `{column.name}` has {len(samples)} samples at prefix "
                    f"{depth}; the plan says m = {m}"
                )
            found[index, depth] = samples
    return found


def _width(lists: Sequence[Sized]) -> int:
    return max((len(row) for row in lists), default=0) or 1
