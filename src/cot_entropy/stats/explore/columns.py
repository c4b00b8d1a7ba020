"""List columns of the trajectories as padded arrays: one row per question, one place per prefix.

There is always a place for prefix 0, even where no question has a prefix.
"""

from __future__ import annotations

from collections.abc import Sequence, Sized
from typing import Any

import numpy as np
import pandas as pd

from cot_entropy.stats.cells import Cell, Values


def absent(columns: Sequence[str], cell: Cell) -> str:
    """Why an estimate is not run: the optional columns it needs that are not there, or ''."""
    missing = [column for column in columns if not cell.has(column)]
    named = ", ".join(f"`{column}`" for column in missing)
    return f"trajectories have no {named}" if missing else ""


def unusable(columns: Sequence[str], cell: Cell, m: int) -> str:
    """Why sample columns cannot be used: one is absent, or a prefix does not hold m; '' if usable.

    A flat column (`final_samples_correct`) holds the samples of one prefix, or none.
    """
    if reason := absent(columns, cell):
        return reason
    for name in columns:
        for value in cell.frame[name].dropna():
            nested = len(value) > 0 and isinstance(value[0], np.ndarray)
            sizes = {len(samples) for samples in (value if nested else [value])} - {m}
            if sizes and (nested or len(value) > 0):
                return f"`{name}` has {sizes.pop()} samples at a prefix; the plan says m = {m}"
    return ""


def padded(column: pd.Series[Any], *, fill: float = np.nan) -> Values:
    """Numbers per prefix `(n, K)`, `fill` past each chain's end and where a question has null."""
    lists = [() if value is None else value for value in column]
    found = np.full((len(lists), _width(lists)), fill)
    for index, row in enumerate(lists):
        found[index, : len(row)] = row
    return found


def padded_samples(column: pd.Series[Any], m: int, *, fill: float = np.nan) -> Values:
    """Numbers per prefix and sample `(n, K, m)`, padded with `fill`; a null sample is NaN.

    Raises ValueError where a prefix does not hold m samples; `unusable` says so beforehand.
    """
    lists = [() if value is None else value for value in column]
    found = np.full((len(lists), _width(lists), m), fill)
    for index, prefixes in enumerate(lists):
        for depth, samples in enumerate(prefixes):
            if len(samples) != m:
                raise ValueError(f"row {index}: {len(samples)} samples at prefix {depth}, not {m}")
            found[index, depth] = samples
    return found


def _width(lists: Sequence[Sized]) -> int:
    return max((len(row) for row in lists), default=0) or 1
