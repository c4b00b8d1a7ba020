"""Intervals of shares: Wilson, also where samples repeat, and corrected for a judge's error."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from statistics import NormalDist
from typing import Final

from statsmodels.stats.proportion import confint_proportions_2indep, proportion_confint

LEVEL: Final = 0.95
Z: Final = NormalDist().inv_cdf((1 + LEVEL) / 2)


@dataclass(frozen=True, kw_only=True)
class JudgeAccuracy:
    """Counts of a judge on labelled items: inconsistent ones found, consistent ones cleared."""

    found: int
    inconsistent: int
    cleared: int
    consistent: int


@dataclass(frozen=True, kw_only=True)
class Share:
    """A share with its 95 % interval, or the reason why there is none."""

    rate: float | None = None
    ci_low: float | None = None
    ci_high: float | None = None
    size: float = 0.0
    """How many independent observations it is worth."""
    clustered: bool = False
    reason: str = ""


def wilson(count: float, n: float) -> tuple[float, float]:
    """The 95 % Wilson interval of a share; n must be positive."""
    low, high = proportion_confint(count, n, alpha=1 - LEVEL, method="wilson")
    return max(float(low), 0.0), min(float(high), 1.0)


def effective_size(flags: Sequence[bool], clusters: Sequence[Hashable]) -> float:
    """How many independent observations a share over repeated samples is worth, at most all.

    n / design effect, with the linearised between-cluster variance of a ratio (Rao and Scott 1992,
    Biometrics 48:577-585). Where all flags are the same the variance is unknown, and every cluster
    counts once.
    """
    sizes = Counter(clusters)
    n = len(flags)
    if len(sizes) == n:
        return float(n)
    positives = Counter(cluster for cluster, flag in zip(clusters, flags, strict=True) if flag)
    share = positives.total() / n
    k = len(sizes)
    if k < 2 or share in {0.0, 1.0}:
        return float(k)
    squares = sum((positives[cluster] - share * size) ** 2 for cluster, size in sizes.items())
    variance = k / (k - 1) * squares / n**2
    if variance == 0:
        return float(n)
    return min(share * (1 - share) / variance, float(n))


def difference(
    first: tuple[float, float, float], second: tuple[float, float, float]
) -> tuple[float, float, float]:
    """First minus second share and its interval, from (share, low, high) of each.

    Squares and adds the distances to the ends (Newcombe 1998, Statistics in Medicine 17:873-890,
    method 10). The two are taken as independent: wide where both are about the same samples.
    """
    (p, p_low, p_high), (q, q_low, q_high) = first, second
    down = ((p - p_low) ** 2 + (q_high - q) ** 2) ** 0.5
    up = ((p_high - p) ** 2 + (q - q_low) ** 2) ** 0.5
    return p - q, p - q - down, p - q + up


def paired_difference(first: float, second: float, n: float) -> tuple[float, float, float]:
    """First minus second of two shares of one whole that exclude each other, and its interval.

    Wald after half an observation is added to each cell (Agresti and Min 2005, Statistics in
    Medicine 24:729-740); n may be an effective size.
    """
    b, c, total = first * n + 0.5, second * n + 0.5, n + 2
    centre = (b - c) / total
    half = Z * (max((b + c) / total - centre**2, 0.0) / total) ** 0.5
    return first - second, max(centre - half, -1.0), min(centre + half, 1.0)


def better_than_chance(accuracy: JudgeAccuracy) -> bool:
    """Whether the 95 % interval of Se - (1 - Sp) is above 0 (Newcombe 1998, method 10)."""
    low, _ = confint_proportions_2indep(
        accuracy.found,
        accuracy.inconsistent,
        accuracy.consistent - accuracy.cleared,
        accuracy.consistent,
        method="newcomb",
        compare="diff",
        alpha=1 - LEVEL,
    )
    return float(low) > 0


def lang_reiczigel(count: float, n: float, accuracy: JudgeAccuracy) -> tuple[float, float]:
    """The 95 % interval of a rate corrected with estimated Se and Sp, clipped to [0, 1].

    Lang and Reiczigel 2014, Preventive Veterinary Medicine 113:13-22, equations 16 and 17: adds
    z^2 observations, half of them positive, to the field and one success and one failure to each
    class of the benchmark, and shifts the centre. Needs a judge that is better than chance.
    """
    n_p, n_se, n_sp = n + Z**2, accuracy.inconsistent + 2, accuracy.consistent + 2
    p, se, sp = (count + Z**2 / 2) / n_p, (accuracy.found + 1) / n_se, (accuracy.cleared + 1) / n_sp
    youden = se + sp - 1
    true = (p + sp - 1) / youden
    var_se, var_sp = se * (1 - se) / n_se, sp * (1 - sp) / n_sp
    centre = true + 2 * Z**2 * (true * var_se - (1 - true) * var_sp)
    variance = p * (1 - p) / n_p + true**2 * var_se + (1 - true) ** 2 * var_sp
    half = Z * variance**0.5 / youden
    return min(max(centre - half, 0.0), 1.0), max(min(centre + half, 1.0), 0.0)


def rogan_gladen(observed: float, *, sensitivity: float, specificity: float) -> float:
    """The true share behind an observed one, clipped to [0, 1]; needs Se + Sp > 1."""
    value = (observed + specificity - 1) / (sensitivity + specificity - 1)
    return min(max(value, 0.0), 1.0)


def corrected(count: float, n: float, *, accuracy: JudgeAccuracy) -> Share:
    """A share freed of the judge's measured error (Rogan and Gladen 1978); n must be positive.

    (p + Sp - 1) / (Se + Sp - 1), clipped to [0, 1], with the interval of `lang_reiczigel`. There is
    no corrected rate unless Se + Sp - 1 is above 0 at its lower 2.5 % point (`better_than_chance`):
    a judge no better than chance carries no information about the rate. Nor is there one where the
    whole interval is beyond 0 or 1: then the benchmark's items are not like those of the field.
    """
    if accuracy.inconsistent == 0 or accuracy.consistent == 0:
        return Share(reason="the benchmark leaves no decided item of one class")
    if not better_than_chance(accuracy):
        return Share(reason="the judge is not better than chance on benchmark items of this kind")
    rate = rogan_gladen(
        count / n,
        sensitivity=accuracy.found / accuracy.inconsistent,
        specificity=accuracy.cleared / accuracy.consistent,
    )
    low, high = lang_reiczigel(count, n, accuracy)
    if low == high:
        return Share(reason="the observed share contradicts the judge's error on the benchmark")
    return Share(rate=rate, ci_low=min(low, rate), ci_high=max(high, rate), size=n)
