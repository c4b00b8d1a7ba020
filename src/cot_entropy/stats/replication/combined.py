"""Original and replication combined: the fixed-effect meta-analysis of two or more effects."""

from __future__ import annotations

import math
from collections.abc import Sequence

from cot_entropy.stats.replication.effects import Effect


def fixed_effect(effects: Sequence[Effect]) -> Effect:
    """The mean weighted by inverse variances. It takes one common effect for granted.

    An exaggerated original pulls it: it stands last, and answers no question of replication.
    """
    weights = [1 / effect.error**2 for effect in effects]
    total = math.fsum(weights)
    mean = math.fsum(w * one.estimate for w, one in zip(weights, effects, strict=True)) / total
    return Effect(estimate=mean, error=1 / math.sqrt(total))
