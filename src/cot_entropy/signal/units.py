"""What is known of each probed unit from the chain's own tokens: no completion is needed."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np


def unit_tokens(ends: Sequence[int]) -> list[int]:
    """Tokens that each unit adds, `(N,)`, from the tokens in prefix 0..N."""
    return [stop - start for start, stop in pairwise(ends)]


def unit_means(values: Sequence[float], ends: Sequence[int]) -> list[float | None]:
    """The mean over each unit's tokens of values `(T,)`, `(N,)`; None where there are none."""
    return [
        float(np.mean(values[start:stop])) + 0.0 if stop > start else None
        for start, stop in pairwise(ends)
    ]
