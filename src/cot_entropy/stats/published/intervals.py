"""The interval of the difference of two values from the interval of each."""

from __future__ import annotations

import math
from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Value:
    """A number, its interval where one exists, and what it rests on."""

    estimate: float | None = None
    low: float | None = None
    high: float | None = None
    n: int | None = None


def mover(ours: Value, theirs: Value) -> tuple[float | None, float | None]:
    """Interval of ours - theirs from the two intervals; (None, None) where one is missing."""
    bounds = (ours.estimate, ours.low, ours.high, theirs.estimate, theirs.low, theirs.high)
    if any(bound is None for bound in bounds):
        return None, None
    a, a_low, a_high, b, b_low, b_high = (float(bound) for bound in bounds if bound is not None)
    low = a - b - math.hypot(a - a_low, b_high - b)
    return low, a - b + math.hypot(a_high - a, b - b_low)
