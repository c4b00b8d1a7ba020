"""Do original and replication agree? Intervals, the prediction interval, the difference test."""

from __future__ import annotations

import math
from dataclasses import dataclass

from scipy import stats

from cot_entropy.stats.intervals import Bracket
from cot_entropy.stats.replication.effects import Effect


def same_direction(original: Effect, replication: Effect) -> bool | None:
    """Equal signs; None where an estimate is 0, which has no direction."""
    if original.estimate == 0 or replication.estimate == 0:
        return None
    return (original.estimate > 0) == (replication.estimate > 0)


def significant_alike(original: Effect, replication: Effect, *, alpha: float) -> bool | None:
    """Both effects significant (two-sided) and in one direction.

    None where the original is not significant: the criterion asks whether a finding replicates,
    and there is none. A replication that is not significant is False, whatever its sign.
    """
    if original.p_value >= alpha:
        return None
    return replication.p_value < alpha and bool(same_direction(original, replication))


def inside(value: float, interval: Bracket) -> bool:
    """Within the interval, its ends included."""
    return interval.low <= value <= interval.high


def prediction_interval(original: Effect, *, replication_error: float, level: float) -> Bracket:
    """Where the replication's estimate lies with probability `level` if both estimate one effect.

    The original's estimate -+ z sqrt(both variances): Patil, Peng and Leek 2016 (Perspectives on
    Psychological Science 11: 539-544).
    """
    spread = math.hypot(original.error, replication_error)
    return Effect(estimate=original.estimate, error=spread).interval(level)


@dataclass(frozen=True, kw_only=True)
class Difference:
    """Replication less original, and Cochran's Q of their equality (1 degree of freedom)."""

    effect: Effect
    q: float
    p_value: float


def difference(original: Effect, replication: Effect) -> Difference:
    """The difference test. p < 1 - level exactly where the prediction interval is missed.

    Hedges and Schauer 2019 (Journal of Educational and Behavioral Statistics 44: 543-570).
    """
    effect = Effect(
        estimate=replication.estimate - original.estimate,
        error=math.hypot(original.error, replication.error),
    )
    q = effect.z**2
    return Difference(effect=effect, q=q, p_value=float(stats.chi2.sf(q, 1)))
