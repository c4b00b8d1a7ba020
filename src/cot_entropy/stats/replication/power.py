"""Power of a planned replication: which effects are expected, and how often each criterion holds.

The true effect is drawn from a design prior about the original's; the replication's estimate is
normal around it. Every criterion is judged by the function that judges a real pair, at evenly
spaced quantiles of the estimate, so that nothing is drawn at random.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final, Literal

import numpy as np
from scipy import stats

from cot_entropy.plan.entries.replication import ReplicationParams
from cot_entropy.stats.replication.agreement import (
    difference,
    inside,
    prediction_interval,
    significant_alike,
)
from cot_entropy.stats.replication.bayes import log_replication_bayes_factor
from cot_entropy.stats.replication.effects import Effect
from cot_entropy.stats.replication.sceptical import sceptical_p
from cot_entropy.stats.replication.telescopes import smaller_than_detectable

Prior = Literal["conditional", "predictive", "eb"]
"""As in ReplicationSuccess: the original's estimate is the truth; its error counts; and shrunken by
its own evidence (empirical Bayes)."""

QUANTILES: Final = 200


@dataclass(frozen=True, kw_only=True)
class TrueEffect:
    """The design prior of the true effect: normal, `spread` 0 for a fixed one."""

    mean: float
    spread: float

    def quantiles(self, count: int) -> list[float]:
        """Evenly spaced quantiles, the middle one alone where nothing spreads."""
        if self.spread == 0:
            return [self.mean]
        shares = (np.arange(count) + 0.5) / count
        return [float(v) for v in self.mean + self.spread * stats.norm.ppf(shares)]


def design_prior(original: Effect, prior: Prior, *, shrinkage: float = 0.0) -> TrueEffect:
    """What is expected of the true effect; `shrinkage` 0.25 takes a quarter off the estimate.

    `eb` shrinks by 1 / z^2 instead, to nothing where the original's |z| is at most 1, and takes no
    `shrinkage` (Pawel and Held 2020). Raises ValueError for a shrinkage outside [0, 1).
    """
    if not 0 <= shrinkage < 1:
        raise ValueError(f"shrinkage {shrinkage} does not lie in [0, 1)")
    if prior == "eb":
        kept = max(0.0, 1 - 1 / original.z**2) if original.z else 0.0
        return TrueEffect(mean=kept * original.estimate, spread=math.sqrt(kept) * original.error)
    mean = (1 - shrinkage) * original.estimate
    return TrueEffect(mean=mean, spread=original.error if prior == "predictive" else 0.0)


Criterion = Callable[[Effect, Effect], bool]


def criteria(params: ReplicationParams, *, alpha: float, level: float) -> Mapping[str, Criterion]:
    """Each criterion of success, by its name in replication.csv."""

    def telescopes(original: Effect, replication: Effect) -> bool:
        p = smaller_than_detectable(original, replication, power=params.small_power, alpha=alpha)
        return p is not None and p >= alpha

    return MappingProxyType(
        {
            "significant_in_the_same_direction": lambda o, r: bool(
                significant_alike(o, r, alpha=alpha)
            ),
            "original_in_replication_interval": lambda o, r: inside(o.estimate, r.interval(level)),
            "replication_in_prediction_interval": lambda o, r: inside(
                r.estimate, prediction_interval(o, replication_error=r.error, level=level)
            ),
            "difference": lambda o, r: difference(o, r).p_value >= alpha,
            "small_telescopes": telescopes,
            "sceptical_p_nominal": lambda o, r: (
                sceptical_p(o, r, recalibration="nominal") < alpha / 2
            ),
            "sceptical_p_golden": lambda o, r: sceptical_p(o, r) < alpha / 2,
            "replication_bayes_factor": lambda o, r: (
                log_replication_bayes_factor(o, r) >= math.log(params.evidence)
            ),
        }
    )


RISING: Final = frozenset(
    {
        "significant_in_the_same_direction",
        "sceptical_p_nominal",
        "sceptical_p_golden",
        "replication_bayes_factor",
    }
)
"""Criteria that a larger replication meets more often where the effect is there. The others ask
that nothing speaks against agreement, which a small study meets most easily."""


def probability(
    criterion: Criterion, original: Effect, truth: TrueEffect, *, replication_error: float
) -> float:
    """The chance that a replication with this error meets the criterion."""
    spread = math.hypot(truth.spread, replication_error)
    estimates = TrueEffect(mean=truth.mean, spread=spread).quantiles(QUANTILES)
    met = [criterion(original, Effect(estimate=one, error=replication_error)) for one in estimates]
    return sum(met) / len(met)
