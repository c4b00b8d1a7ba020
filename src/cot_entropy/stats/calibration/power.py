"""What a cell can decide: power over n, accuracy, flag rate and effect; smallest detectable gap."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import product
from typing import Final, Literal

from cot_entropy.plan.model import Bounds, Hypothesis, MinimumSizes, Plan
from cot_entropy.stats.calibration.effort import Effort
from cot_entropy.stats.calibration.exact_gap import GapDesign
from cot_entropy.stats.calibration.tally import CalibrationRow
from cot_entropy.stats.populations import GapTruth
from cot_entropy.stats.two_by_two import GapInterval

GAPS: Final = (0.0, 2.0, 5.0, 8.0, 10.0, 15.0, 20.0, 30.0)
PILOT: Final = 300
"""Z26's pilot size, beside the registered ones."""
WANTED: Final = 0.8
EDGE: Final = 1e-6
"""A truth so close to a bound is on it."""


@dataclass(frozen=True, kw_only=True)
class PowerRow:
    """The probability of a verdict given that the cell is assessable.

    `power` with the p-value unadjusted (the last step of Holm), `power_first_step` with alpha
    divided by the number of cells (the first). `refuted` needs no p-value: both are the same.
    """

    estimand: str
    n: int
    accuracy: float
    flag_rate: float | None
    effect: float
    verdict: Literal["supported", "refuted"]
    power: float
    power_first_step: float
    method: str


@dataclass(frozen=True, kw_only=True)
class DetectableRow:
    """The smallest gap in points with 80 % power, before and after Holm's first step.

    Empty where no gap that the accuracies allow has it, or the cell is not assessable.
    """

    n: int
    accuracy: float
    flag_rate: float
    gap_pp: float | None
    gap_pp_first_step: float | None


def gap_power_rows(hypothesis: Hypothesis, plan: Plan, effort: Effort) -> Iterator[PowerRow]:
    """H1's power, exact given the group sizes; a gap of 0 is the false support."""
    sizes = (*effort.sizes, PILOT)
    grid = product(sizes, effort.flag_rates, effort.accuracies, GAPS)
    for n, flag_rate, accuracy, gap in grid:
        truth = GapTruth.of(accuracy=accuracy, flag_rate=flag_rate, gap=gap)
        last, first = _designs(hypothesis, plan, n, flag_rate)
        if truth.possible and last.assessable.any():
            yield PowerRow(
                estimand=hypothesis.estimand,
                n=n,
                accuracy=accuracy,
                flag_rate=flag_rate,
                effect=gap,
                verdict="supported",
                power=last.support(truth),
                power_first_step=first.support(truth),
                method="exact, group sizes fixed",
            )


def detectable_rows(hypothesis: Hypothesis, plan: Plan, effort: Effort) -> list[DetectableRow]:
    """For every size, accuracy and flag rate of the grid."""
    rows = []
    sizes = (*effort.sizes, PILOT)
    for n, flag_rate, accuracy in product(sizes, effort.flag_rates, effort.accuracies):
        last, first = _designs(hypothesis, plan, n, flag_rate)
        rows.append(
            DetectableRow(
                n=n,
                accuracy=accuracy,
                flag_rate=flag_rate,
                gap_pp=last.smallest_gap(accuracy, power=WANTED),
                gap_pp_first_step=first.smallest_gap(accuracy, power=WANTED),
            )
        )
    return rows


def simulated_power(rows: Sequence[CalibrationRow], plan: Plan) -> Iterator[PowerRow]:
    """The deciding intervals' rate of the right verdict, from the calibration.

    `supported` where the claim holds; for a claim of equivalence also `refuted` where the truth
    lies outside its bounds. The gap's power is exact and stands in `gap_power_rows`.
    """
    bounds: dict[str, Bounds] = {one.estimand: one.bounds for one in plan.hypotheses}
    for row in rows:
        if not row.decides or row.estimand == "accuracy_gap_pp":
            continue
        low, high = bounds[row.estimand].low, bounds[row.estimand].high
        if row.false_support_limit is None:
            yield _power(row, "supported", row.supported, row.supported_first_step)
        elif low is not None and high is not None and not low - EDGE <= row.truth <= high + EDGE:
            yield _power(row, "refuted", row.refuted, row.refuted)


def _power(
    row: CalibrationRow,
    verdict: Literal["supported", "refuted"],
    power: float,
    power_first_step: float,
) -> PowerRow:
    return PowerRow(
        estimand=row.estimand,
        n=row.n,
        accuracy=row.accuracy,
        flag_rate=row.flag_rate,
        effect=row.truth,
        verdict=verdict,
        power=power,
        power_first_step=power_first_step,
        method=f"{row.studies} simulated studies",
    )


def _designs(
    hypothesis: Hypothesis, plan: Plan, n: int, flag_rate: float
) -> tuple[GapDesign, GapDesign]:
    """The rule with Fisher's p at alpha, and at alpha over the number of cells."""
    cells = len(plan.cells_of(hypothesis))
    monotone = round(n * flag_rate)
    method: GapInterval = "newcombe" if hypothesis.interval == "newcombe" else "agresti_caffo"
    last, first = (
        _design(
            monotone=monotone,
            other=n - monotone,
            interval=method,
            level=hypothesis.levels.supported,
            alpha=alpha,
            minimum=hypothesis.assessable,
        )
        for alpha in (plan.alpha, plan.alpha / cells)
    )
    return last, first


@lru_cache(maxsize=64)
def _design(
    *,
    monotone: int,
    other: int,
    interval: GapInterval,
    level: float,
    alpha: float,
    minimum: MinimumSizes,
) -> GapDesign:
    return GapDesign(
        monotone=monotone,
        other=other,
        interval=interval,
        level=level,
        alpha=alpha,
        minimum=minimum,
    )
