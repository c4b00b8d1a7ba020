"""Selective answering: which risk is left when only the highest-scored answers are given.

    accept     coverage   risk = wrong / accepted    generalised risk = wrong / all
    0                                                0
    1 group    0.25       0.0                        0
    2 groups   0.75       1/3                        0.25
    all        1          0.5                        0.5

Tied questions are accepted together: they form one point, the only choice that does not depend on
their order. Between points the curve is straight (trapezoids). Every area is an integral of risk
over coverage, not divided by the length of its range.

AURC, E-AURC: Geifman, Uziel and El-Yaniv 2019. AUGRC: Traub et al. 2024.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import xlog1py

from cot_entropy.stats.cells import Flags, Values
from cot_entropy.stats.explore.bootstrap import ratio
from cot_entropy.stats.explore.ranking import GroupSums, Ranking


@dataclass(frozen=True, eq=False)
class RiskCoverage:
    """Points of the curve, `(groups, b)`, most trusted group first; risk is NaN at coverage 0."""

    coverage: Values
    risk: Values
    generalised_risk: Values

    @classmethod
    def of(cls, sums: GroupSums) -> RiskCoverage:
        """The curve of group sums in ascending order of score."""
        wrong = np.cumsum(sums.wrong[::-1], axis=0)
        accepted = np.cumsum((sums.right + sums.wrong)[::-1], axis=0)
        total = accepted[-1:]
        return cls(ratio(accepted, total), ratio(wrong, accepted), ratio(wrong, total))

    @property
    def first_coverage(self) -> Values:
        """The smallest coverage above 0 that the score can give, `(b,)`."""
        first: Values = np.where(self.coverage > 0, self.coverage, np.inf).min(axis=0)
        return first

    @property
    def first_risk(self) -> Values:
        """The risk at the first achievable coverage, `(b,)`."""
        return _at(self.risk, (self.coverage > 0).argmax(axis=0))

    def area(self, start: Values) -> Values:
        """Area under the risk from coverage `start` `(b,)` to 1.

        NaN where the range is empty or begins before the first achievable coverage.
        """
        left, right = self.coverage[:-1], self.coverage[1:]
        low, high = self.risk[:-1], self.risk[1:]
        begin = np.clip(start, left, right)
        slope = np.divide(high - low, right - left, out=np.zeros_like(left), where=right > left)
        at_begin = low + slope * (begin - left)
        pieces = np.where(left > 0, (right - begin) * (at_begin + high) / 2, 0.0)
        within = (start < 1) & (start >= self.first_coverage)
        area: Values = np.where(within, pieces.sum(axis=0), np.nan)
        return area

    def risk_at(self, coverage: Values) -> Values:
        """The risk at a coverage `(b,)`: between points on the line, before the first its risk.

        NaN for a curve without a point, of a score that no question has.
        """
        if not len(self.coverage):
            return np.full(coverage.shape, np.nan)
        after = (self.coverage >= coverage).argmax(axis=0)
        before = np.maximum(after - 1, 0)
        right, left = _at(self.coverage, after), _at(self.coverage, before)
        high, low = _at(self.risk, after), _at(self.risk, before)
        step = np.divide(coverage - left, right - left, out=np.ones_like(right), where=right > left)
        return np.where(left > 0, low + step * (high - low), self.first_risk)

    def achievable(self) -> Values:
        """AURC from the first achievable coverage to 1, `(b,)`; NaN for a constant score."""
        return self.area(self.first_coverage)

    def zero_extended(self) -> Values:
        """AURC from 0 to 1, the first point's risk extended to 0, `(b,)`."""
        extension = self.first_coverage * self.first_risk
        area: Values = extension + np.nan_to_num(self.achievable())
        return area

    def excess(self) -> Values:
        """E-AURC: `zero_extended` less the AURC r + (1 - r) ln(1 - r) of a perfect ranking.

        r is the risk at full coverage. That optimum supposes untied scores; the straight line
        through a perfect ranking into two tie groups lies below it, by r^3 / 2 at most.
        """
        full = self.risk[-1]
        excess: Values = self.zero_extended() - (full + xlog1py(1 - full, -full))
        return excess

    def augrc(self) -> Values:
        """Area under the generalised risk from 0 to 1, `(b,)`: E-AURC's scale-free sibling."""
        start = np.zeros((1, self.coverage.shape[1]))
        coverage = np.concatenate([start, self.coverage])
        risk = np.concatenate([start, self.generalised_risk])
        area: Values = np.trapezoid(risk, coverage, axis=0)
        return area


def _at(points: Values, row: NDArray[np.intp]) -> Values:
    chosen: Values = np.take_along_axis(points, row[None], axis=0)[0]
    return chosen


@dataclass(frozen=True, kw_only=True)
class CurvePoint:
    """One tie group of a signal: answers scored at least `threshold` are given."""

    threshold: float
    coverage: float
    risk: float
    generalised_risk: float


def risk_coverage_curve(scores: Values, correct: Flags) -> list[CurvePoint]:
    """The curve of oriented scores `(n,)` for drawing, NaN scores left out; [] if none is left."""
    ranking = Ranking.of(scores, correct, ~np.isnan(scores))
    if not len(ranking.levels):
        return []
    curve = RiskCoverage.of(ranking.sums(np.ones((len(scores), 1), dtype=np.float32)))
    columns = (ranking.levels[::-1], curve.coverage, curve.risk, curve.generalised_risk)
    points = np.column_stack([np.ravel(column) for column in columns]) + 0.0
    return [
        CurvePoint(threshold=t, coverage=c, risk=r, generalised_risk=g)
        for t, c, r, g in points.tolist()
    ]
