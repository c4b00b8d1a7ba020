"""Bayes factors of normal effects: does it replicate, and does the null hold?"""

from __future__ import annotations

import math

from scipy import stats

from cot_entropy.stats.replication.effects import Effect


def log_replication_bayes_factor(original: Effect, replication: Effect) -> float:
    """log of BF_r0: the replication's data under the original's posterior against no effect.

    Verhagen and Wagenmakers 2014 (Journal of Experimental Psychology: General 143: 1457-1475).
    The posterior of the original under a flat prior is normal, so that both sides are normal
    densities at the replication's estimate; it equals the Bayes factor of both studies over that of
    the original, the prior growing wide (Ly et al. 2019, Behavior Research Methods 51: 2498-2508).
    Above 0 for the original's effect, below 0 for none. An original estimate of 0 still
    has a spread: a replication far from 0 then counts for the spread, whatever its sign.
    """
    spread = math.hypot(original.error, replication.error)
    found = stats.norm.logpdf(replication.estimate, loc=original.estimate, scale=spread)
    return float(found - stats.norm.logpdf(replication.estimate, loc=0, scale=replication.error))


def log_null_bayes_factor(effect: Effect, *, prior_sd: float) -> float:
    """log of BF_01: no effect against a normal prior around 0 with standard deviation `prior_sd`.

    Pawel et al. 2024 (eLife 12: RP92311). Above 0 for the null.
    """
    if prior_sd <= 0:
        raise ValueError(f"prior standard deviation {prior_sd} is not above 0")
    null = stats.norm.logpdf(effect.estimate, loc=0, scale=effect.error)
    other = stats.norm.logpdf(effect.estimate, loc=0, scale=math.hypot(effect.error, prior_sd))
    return float(null - other)
