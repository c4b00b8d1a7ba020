"""Small telescopes: could the original study have seen an effect as small as the replication's?

Simonsohn 2015 (Psychological Science 26: 559-569), on the normal scale. The question is about the
original's design, so that its estimate matters only by its direction.
"""

from __future__ import annotations

from scipy import optimize, stats

from cot_entropy.stats.replication.effects import Effect


def detectable_effect(error: float, *, power: float, alpha: float = 0.05) -> float:
    """The effect above 0 that a two-sided test with this standard error finds with that power.

    `power` lies above `alpha` and below 1. Both tails count, as in a two-sided test.
    """
    if not alpha < power < 1:
        raise ValueError(f"power {power} does not lie between alpha {alpha} and 1")
    critical = stats.norm.ppf(1 - alpha / 2)

    def missing(shift: float) -> float:
        return float(stats.norm.sf(critical - shift) + stats.norm.cdf(-critical - shift) - power)

    highest = float(critical - stats.norm.ppf(1 - power)) + 1
    return error * float(optimize.brentq(missing, 0.0, highest, xtol=1e-12))


def smaller_than_detectable(
    original: Effect, replication: Effect, *, power: float, alpha: float = 0.05
) -> float | None:
    """One-sided p that the replication's effect is at least the original's small effect.

    Small is what the original finds with `power`: 33 % in the paper.

    Below `alpha` the effect is significantly smaller than anything the original could have been
    expected to find. In the original's direction: a replication of the other sign is small. None
    where the original's estimate is 0 and names no direction.
    """
    if original.estimate == 0:
        return None
    direction = 1 if original.estimate > 0 else -1
    small = detectable_effect(original.error, power=power, alpha=alpha)
    return float(stats.norm.cdf((direction * replication.estimate - small) / replication.error))
