"""What a hypothesis is judged on in one cell: estimate, intervals, p-value and sizes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray
from statsmodels.stats.proportion import proportion_confint

from cot_entropy.plan.model import Bounds, Interval, MinimumSizes, PValue
from cot_entropy.stats.cells import Cell
from cot_entropy.stats.intervals import Bracket

Values = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True)
class Sizes:
    """Questions with a defined estimand, right and wrong among them, chains per shape group.

    `groups` is None where the estimand does not compare the shape groups.
    """

    questions: int
    correct: int
    groups: Mapping[str, int] | None = None

    @property
    def wrong(self) -> int:
        """Wrong answers."""
        return self.questions - self.correct

    def shortfall(self, minimum: MinimumSizes) -> str:
        """Why the cell is not assessable, or an empty text."""
        held = [("questions with a defined estimand", self.questions, minimum.questions)]
        held += [(name, size, minimum.group) for name, size in (self.groups or {}).items()]
        held.append(("right answers", self.correct, minimum.correct))
        held.append(("wrong answers", self.wrong, minimum.wrong))
        rarer = "right" if self.correct < self.wrong else "wrong"
        held.append((f"{rarer} answers", min(self.correct, self.wrong), minimum.rarer))
        short = [
            f"{size} {what}, fewer than {needed}" for what, size, needed in held if size < needed
        ]
        return "; ".join(dict.fromkeys(short))


@dataclass(frozen=True, kw_only=True)
class Detail:
    """A further number of `estimates.csv` that belongs to a hypothesis, with its interval."""

    quantity: str
    estimate: float | None = None
    low: float | None = None
    high: float | None = None
    p_value: float | None = None
    n: int | None = None
    reason: str = ""


class Evidence(Protocol):
    """One estimand in one cell, after resampling."""

    @property
    def sizes(self) -> Sizes:
        """What the estimand rests on."""

    @property
    def estimate(self) -> float | None:
        """The point estimate; None where undefined."""

    @property
    def dropped(self) -> int:
        """Resamples in which the estimand was undefined."""

    def interval(self, name: Interval, *, level: float) -> Bracket | None:
        """The named interval; None where undefined."""

    def p_value(self, name: PValue, bounds: Bounds) -> float | None:
        """The named p-value; None where undefined."""

    def details(self, *, level: float) -> Iterator[Detail]:
        """Numbers that stand beside the hypothesis."""


class Sample(Protocol):
    """One estimand's data in one cell, before resampling."""

    def statistic(self, counts: NDArray[np.int32]) -> Values:
        """Draws `(b, ...)` of resample counts `(b, n)`."""

    def evidence(self, draws: Values) -> Evidence:
        """What the draws of all resamples, `(B, ...)`, amount to."""


def undefined_shape_detail(cell: Cell) -> Detail:
    """The chains outside H1, H3, H4 and H5, counted."""
    outside = int((~cell.shape_defined).sum())
    return Detail(quantity="shape_undefined_chains", estimate=float(outside), n=cell.n)


def share_detail(quantity: str, part: int, whole: int, *, level: float) -> Detail:
    """A share with Wilson's interval; undefined where `whole` is 0."""
    if not whole:
        return Detail(quantity=quantity, n=0, reason="no such chains")
    low, high = proportion_confint(part, whole, alpha=1 - level, method="wilson")
    return Detail(
        quantity=quantity, estimate=part / whole, low=float(low), high=float(high), n=whole
    )
