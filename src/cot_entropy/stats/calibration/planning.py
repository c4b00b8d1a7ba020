"""What a planned study of the gap would find: verdicts by the registered rule, and replication.

Verdicts are exact given the group sizes; the true gap comes from the design prior. Sizes are
searched for where more questions help, up to `LARGEST`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final

from cot_entropy.plan.entries.replication import ReplicationParams
from cot_entropy.plan.model import Hypothesis, Plan
from cot_entropy.stats.calibration.exact_gap import Flags, GapDesign
from cot_entropy.stats.populations import GapTruth
from cot_entropy.stats.replication.effects import Effect
from cot_entropy.stats.replication.power import (
    RISING,
    Criterion,
    Prior,
    TrueEffect,
    criteria,
    design_prior,
    probability,
)

LARGEST: Final = 3000
SMALLEST: Final = 40
NODES: Final = 21
WANTED: Final = (0.8, 0.9)


@dataclass(frozen=True, kw_only=True)
class PlannedStudy:
    """A cell of a planned study, and the number of cells that Holm's adjustment runs over."""

    questions: int
    accuracy: float
    flag_rate: float
    cells: int

    def of(self, questions: int) -> PlannedStudy:
        """The same study with another number of questions."""
        return PlannedStudy(
            questions=questions,
            accuracy=self.accuracy,
            flag_rate=self.flag_rate,
            cells=self.cells,
        )


@dataclass(frozen=True, kw_only=True)
class SuccessRow:
    """The chance of one outcome of a planned study, and the questions that make it likely.

    A verdict of H1, its Holm adjustment at its least and at its most, or a criterion of
    replication. Sizes are empty where none up to 3,000 questions reaches the chance, or where more
    questions do not help.
    """

    study: str
    """The original, as in published.yaml."""
    prior: Prior
    """Design prior of the true gap."""
    shrinkage: float
    """Share taken off the original's gap."""
    gap_pp: float
    """Mean of the true gap, percentage points."""
    questions: int
    """Questions of the planned cell."""
    accuracy: float
    """Its accuracy."""
    flag_rate: float
    """Its share of monotone chains."""
    cells: int
    """Cells that Holm's adjustment runs over."""
    outcome: str
    """The verdict or the criterion."""
    chance: float
    """Its probability."""
    questions_80: int | None = None
    """Least questions with a chance of 80 %."""
    questions_90: int | None = None
    """Least questions with a chance of 90 %."""


def success_rows(
    study: str,
    original: Effect,
    planned: PlannedStudy,
    *,
    plan: Plan,
    hypothesis: Hypothesis,
    params: ReplicationParams,
    prior: Prior,
    shrinkage: float = 0.0,
) -> Iterator[SuccessRow]:
    """Every verdict, then every criterion; raises ValueError where no such study is possible."""
    truth = design_prior(original, prior, shrinkage=shrinkage)

    def row(outcome: str, chance: Callable[[PlannedStudy], float], *, rises: bool) -> SuccessRow:
        sizes = [_smallest(chance, planned, wanted) if rises else None for wanted in WANTED]
        return SuccessRow(
            study=study,
            prior=prior,
            shrinkage=shrinkage,
            gap_pp=truth.mean,
            questions=planned.questions,
            accuracy=planned.accuracy,
            flag_rate=planned.flag_rate,
            cells=planned.cells,
            outcome=outcome,
            chance=chance(planned),
            questions_80=sizes[0],
            questions_90=sizes[1],
        )

    known: dict[PlannedStudy, dict[str, float]] = {}

    def verdict(name: str) -> Callable[[PlannedStudy], float]:
        def chance(one: PlannedStudy) -> float:
            if one not in known:
                known[one] = verdicts(one, truth, plan=plan, hypothesis=hypothesis)
            return known[one][name]

        return chance

    def success(criterion: Criterion) -> Callable[[PlannedStudy], float]:
        return lambda one: probability(
            criterion, original, truth, replication_error=gap_error(one, truth.mean)
        )

    yield row("supported, unadjusted", verdict("supported, unadjusted"), rises=True)
    yield row("supported, Holm's first step", verdict("supported, Holm's first step"), rises=True)
    for name in ("refuted", "inconclusive, unadjusted", "not assessable"):
        yield row(name, verdict(name), rises=False)
    for name, criterion in criteria(params, alpha=plan.alpha, level=plan.level).items():
        yield row(name, success(criterion), rises=name in RISING)


def gap_error(planned: PlannedStudy, gap: float) -> float:
    """Standard error of the gap, percentage points, at the expected counts."""
    truth = possible_truth(planned, gap)
    first, second = truth.monotone, truth.other
    monotone = planned.questions * planned.flag_rate
    other = planned.questions - monotone
    variance = first * (1 - first) / monotone + second * (1 - second) / other
    if not variance > 0:
        raise ValueError(f"accuracy {planned.accuracy} and gap {gap} leave a gap without an error")
    return 100 * math.sqrt(variance)


def possible_truth(planned: PlannedStudy, gap: float) -> GapTruth:
    """The accuracies with this gap, or with the nearest one that the accuracy allows."""
    accuracy, flag_rate = planned.accuracy, planned.flag_rate
    highest = 100 * min((1 - accuracy) / (1 - flag_rate), accuracy / flag_rate)
    lowest = -100 * min(accuracy / (1 - flag_rate), (1 - accuracy) / flag_rate)
    inside = min(max(gap, lowest * (1 - 1e-9)), highest * (1 - 1e-9))
    return GapTruth.of(accuracy=accuracy, flag_rate=flag_rate, gap=inside)


def verdicts(
    planned: PlannedStudy, truth: TrueEffect, *, plan: Plan, hypothesis: Hypothesis
) -> dict[str, float]:
    """The probability of each verdict, over the design prior."""
    monotone = min(max(round(planned.questions * planned.flag_rate), 1), planned.questions - 1)
    design = GapDesign(
        monotone=monotone,
        other=planned.questions - monotone,
        interval="newcombe" if hypothesis.interval == "newcombe" else "agresti_caffo",
        level=hypothesis.levels.supported,
        alpha=plan.alpha,
        minimum=hypothesis.assessable,
    )
    gaps = truth.quantiles(NODES)
    truths = [possible_truth(planned, gap) for gap in gaps]

    def mean(chosen: Flags) -> float:
        return sum(design.probability(chosen, one) for one in truths) / len(truths)

    supported, refuted = mean(design.supports), mean(design.refutes)
    assessable = mean(design.assessable)
    first_step = mean(design.supports & (design.fisher < plan.alpha / planned.cells))
    return {
        "supported, unadjusted": supported,
        "supported, Holm's first step": first_step,
        "refuted": refuted,
        "inconclusive, unadjusted": max(0.0, assessable - supported - refuted),
        "not assessable": max(0.0, 1 - assessable),
    }


def _smallest(
    chance: Callable[[PlannedStudy], float], planned: PlannedStudy, wanted: float
) -> int | None:
    """The least questions with the chance, by bisection to 1 %; None where LARGEST has it not."""
    low, high = SMALLEST, SMALLEST
    while chance(planned.of(high)) < wanted:
        if high == LARGEST:
            return None
        low, high = high, min(2 * high, LARGEST)
    while high - low > max(1, high // 100):
        middle = (low + high) // 2
        low, high = (low, middle) if chance(planned.of(middle)) >= wanted else (middle, high)
    return high
