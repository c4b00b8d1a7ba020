"""The sceptical p-value: how sceptical a prior does the replication overcome?

Held 2020 (JRSS A 183: 431-448); recalibrated at the golden level by Held, Micheloud and Pawel 2022
(Annals of Applied Statistics 16: 706-720): of an original study that is just significant, only a
replication with at least the same effect estimate succeeds.
"""

from __future__ import annotations

import math
from typing import Final, Literal

from scipy import stats

from cot_entropy.stats.replication.effects import Effect

Recalibration = Literal["nominal", "golden"]

GOLDEN: Final = (1 + math.sqrt(5)) / 2


def sceptical_z(original_z: float, replication_z: float, ratio: float) -> float:
    """z_S, at least 0; `ratio` is the original's variance over the replication's.

    With A and H the arithmetic and harmonic mean of the squared z-values, z_S^2 is
    (sqrt(A (A + (ratio - 1) H)) - A) / (ratio - 1), and H / 2 at ratio 1. 0 where either z is 0.
    """
    if ratio <= 0:
        raise ValueError(f"ratio {ratio} of two variances is not above 0")
    squares = original_z**2, replication_z**2
    if not all(squares):
        return 0.0
    arithmetic = sum(squares) / 2
    harmonic = 2 / (1 / squares[0] + 1 / squares[1])
    # the same number without the difference of near equals around ratio 1
    root = math.sqrt(arithmetic * (arithmetic + (ratio - 1) * harmonic))
    return math.sqrt(arithmetic * harmonic / (root + arithmetic))


def sceptical_p(
    original: Effect, replication: Effect, *, recalibration: Recalibration = "golden"
) -> float:
    """The one-sided sceptical p in the direction of the original.

    It succeeds at the level of an ordinary one-sided p (0.025). Opposite signs give 1 - p, so above
    one half; an estimate of 0 gives one half. `golden` multiplies z_S by sqrt(golden ratio).
    """
    ratio = (original.error / replication.error) ** 2
    z = sceptical_z(original.z, replication.z, ratio)
    if recalibration == "golden":
        z *= math.sqrt(GOLDEN)
    p = float(stats.norm.sf(z))
    return 1 - p if original.z * replication.z < 0 else p


def golden_level(level: float) -> float:
    """The nominal level that equals `level` (one-sided) after the golden recalibration."""
    return float(stats.norm.sf(stats.norm.isf(level) / math.sqrt(GOLDEN)))
