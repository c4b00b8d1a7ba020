"""H1's error rate and power without simulation: every pair of counts, weighted by its probability.

With the group sizes fixed, a study is two binomial counts, and the registered rule says of each
pair whether it supports the claim. Summing over the pairs gives the probability of support for any
two accuracies.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy import optimize, special, stats

from cot_entropy.plan.model import MinimumSizes
from cot_entropy.stats.populations import GapTruth
from cot_entropy.stats.two_by_two import GapInterval, gap_interval

Values = NDArray[np.float64]
Flags = NDArray[np.bool_]


@dataclass(frozen=True, kw_only=True)
class GapDesign:
    """Group sizes and the rule: deciding interval, its level, alpha of Fisher's test, sizes."""

    monotone: int
    other: int
    interval: GapInterval
    level: float
    alpha: float
    minimum: MinimumSizes

    @cached_property
    def assessable(self) -> Flags:
        """Which pairs of right answers `(monotone + 1, other + 1)` are assessable."""
        right = np.add.outer(np.arange(self.monotone + 1), np.arange(self.other + 1))
        wrong = self.monotone + self.other - right
        enough = min(self.monotone, self.other) >= self.minimum.group
        return np.asarray(enough & (right >= self.minimum.correct) & (wrong >= self.minimum.wrong))

    @cached_property
    def supports(self) -> Flags:
        """Which pairs support: assessable, interval above 0 and Fisher's p below alpha."""
        low, _ = self._interval
        return self.assessable & (low > 0) & (self.fisher < self.alpha)

    @cached_property
    def refutes(self) -> Flags:
        """Which pairs refute: assessable, interval below 0."""
        _, high = self._interval
        return self.assessable & (high < 0)

    @cached_property
    def _interval(self) -> tuple[Values, Values]:
        right_monotone, right_other = np.meshgrid(
            np.arange(self.monotone + 1.0), np.arange(self.other + 1.0), indexing="ij"
        )
        return gap_interval(
            right_monotone,
            self.monotone - right_monotone,
            right_other,
            self.other - right_other,
            method=self.interval,
            level=self.level,
        )

    @cached_property
    def fisher(self) -> Values:
        """Fisher's two-sided p of every pair, `(monotone + 1, other + 1)`."""
        first, second = np.arange(self.monotone + 1), np.arange(self.other + 1)
        right = np.add.outer(first, second)
        pmf = np.exp(
            np.add.outer(_log_choose(self.monotone), _log_choose(self.other))
            - _log_choose(self.monotone + self.other)[right]
        )
        p = np.empty_like(pmf)
        for total in range(self.monotone + self.other + 1):
            some = np.arange(max(0, total - self.other), min(self.monotone, total) + 1)
            p[some, total - some] = _two_sided(pmf[some, total - some])
        return np.asarray(p)

    def probability(self, chosen: Flags, truth: GapTruth) -> float:
        """The probability of the chosen pairs under two accuracies."""
        first = stats.binom.pmf(np.arange(self.monotone + 1), self.monotone, truth.monotone)
        second = stats.binom.pmf(np.arange(self.other + 1), self.other, truth.other)
        return float(first @ chosen @ second)

    def support(self, truth: GapTruth) -> float:
        """The probability that a study supports, given that it is assessable; 0 if none is."""
        assessable = self.probability(self.assessable, truth)
        return self.probability(self.supports, truth) / assessable if assessable > 0 else 0.0

    def smallest_gap(self, accuracy: float, *, power: float) -> float | None:
        """The least gap in points with that power; None where no possible gap has it.

        The cell's accuracy is held fixed while its groups move apart.
        """
        flag_rate = self.monotone / (self.monotone + self.other)

        def missing(gap: float) -> float:
            truth = GapTruth.of(accuracy=accuracy, flag_rate=flag_rate, gap=gap)
            return self.support(truth) - power

        largest = 100 * min((1 - accuracy) / (1 - flag_rate), accuracy / flag_rate) * (1 - 1e-9)
        if missing(largest) < 0:
            return None
        return float(optimize.brentq(missing, 0.0, largest, xtol=1e-3))


def _log_choose(n: int) -> Values:
    """log C(n, k) for k = 0..n."""
    k = np.arange(n + 1)
    return np.asarray(special.gammaln(n + 1) - special.gammaln(k + 1) - special.gammaln(n - k + 1))


def _two_sided(pmf: Values) -> Values:
    """For each outcome, the probability of all outcomes at most as likely (scipy's tolerance)."""
    order = np.argsort(pmf)
    ranked = pmf[order]
    total = np.concatenate([[0.0], np.cumsum(ranked)])
    at_most = np.searchsorted(ranked, pmf * (1 + 1e-7), side="right")
    return np.asarray(np.minimum(1.0, total[at_most]))
