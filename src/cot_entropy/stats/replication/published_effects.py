"""Effects of published studies, their errors rebuilt from what they print.

    Z26, GSM8K: 93.2 % v 81.7 %, flag rate 68.1 %: 837 of 898 v 344 of 421; gap 11.5, error 2.1

An error comes from the counts that fit the print, from studies simulated with the printed figures,
or, labelled, from an approximation. What a study does not print is named, never filled in silently.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final, Literal

from cot_entropy.plan.model import Estimand
from cot_entropy.stats.populations import GapTruth
from cot_entropy.stats.published.counts import fitting_tables, one
from cot_entropy.stats.published.model import Study
from cot_entropy.stats.replication.effects import (
    Effect,
    Scale,
    gap_effect,
    log_odds_effect,
    rho_approximation,
)
from cot_entropy.stats.replication.simulated_errors import coherence_error, violations_error
from cot_entropy.stats.two_by_two import TwoByTwo, gap_of

Basis = Literal["measured", "counts", "simulated", "approximation", ""]

PILOT: Final = "-pilot"

SCALES: Final[dict[Estimand, tuple[Scale, ...]]] = {
    "accuracy_gap_pp": ("accuracy_gap_pp", "log_odds_ratio"),
    "rho_coherence": ("atanh_rho",),
    "rho_violations": ("atanh_rho",),
}
"""The scales of each estimand that can be replicated from counts; H5's AUROC has none."""


@dataclass(frozen=True, kw_only=True)
class StudyEffect:
    """One study's effect on one scale; None where it cannot be rebuilt, `note` says why."""

    study: str
    source: str
    cell: str
    design: Literal["matched", "pilot"]
    n: int
    estimand: Estimand
    scale: Scale
    effect: Effect | None = None
    basis: Basis = ""
    note: str = ""


def design_of(study: Study) -> Literal["matched", "pilot"]:
    """`pilot` for a smaller sample of a registered cell, under a cell of its own."""
    return "pilot" if study.cell.endswith(PILOT) else "matched"


def registered_cell(study: Study) -> str:
    """The registered cell that a study's questions come from."""
    return study.cell.removesuffix(PILOT)


def published_effects(studies: Sequence[Study]) -> list[StudyEffect]:
    """Every effect that the studies print, in their order; one cell's figures each."""
    found: list[StudyEffect] = []
    for study in studies:
        if "/" not in study.cell:
            continue
        for estimand, scales in SCALES.items():
            for scale in scales:
                blank = StudyEffect(
                    study=study.id,
                    source=study.source,
                    cell=registered_cell(study),
                    design=design_of(study),
                    n=study.n,
                    estimand=estimand,
                    scale=scale,
                )
                earlier = [
                    other
                    for other in studies
                    if registered_cell(other) == registered_cell(study) and other is not study
                ]
                found += _effects(blank, study, earlier)
    return found


def _effects(blank: StudyEffect, study: Study, earlier: Sequence[Study]) -> Iterator[StudyEffect]:
    if blank.estimand == "accuracy_gap_pp":
        tables = fitting_tables(study)
        if tables:
            yield _from_tables(blank, tables)
        elif one(study, "accuracy_gap_pp") is not None:
            yield _borrowed(blank, study, earlier)
    elif blank.estimand != "filter_auroc" and (printed := one(study, blank.estimand)) is not None:
        yield _from_rho(blank, study, printed.value)


def _from_tables(blank: StudyEffect, tables: Sequence[TwoByTwo]) -> StudyEffect:
    """The table in the middle of those that fit, with the largest error of all."""
    ordered = sorted(tables, key=lambda table: gap_of(table) or 0.0)
    make = gap_effect if blank.scale == "accuracy_gap_pp" else log_odds_effect
    effects = [effect for table in ordered if (effect := make(table)) is not None]
    if not effects:
        return replace(blank, note="the printed percentages leave no error to rebuild")
    middle = effects[len(effects) // 2]
    error = max(one.error for one in effects)
    note = "" if len(effects) == 1 else f"{len(effects)} tables fit the print: the widest error"
    effect = Effect(estimate=middle.estimate, error=error)
    return replace(blank, effect=effect, basis="counts", note=note)


def _borrowed(blank: StudyEffect, study: Study, earlier: Sequence[Study]) -> StudyEffect:
    """A printed gap without its groups: flag rate, and accuracy unless printed, of another study.

    The estimate is the study's own; the error is an approximation, and so is the odds ratio.
    """
    gap = one(study, "accuracy_gap_pp")
    lent = next(
        (
            other
            for other in earlier
            if design_of(other) == design_of(study) and fitting_tables(other)
        ),
        None,
    )
    missing = f"{study.source} prints neither flag rate nor group accuracies here"
    if gap is None or lent is None:
        return replace(blank, note=missing)
    table = fitting_tables(lent)[0]
    flag_rate = table.monotone / (table.monotone + table.other)
    printed = one(study, "accuracy_percent")
    accuracy = printed.value / 100 if printed else table.right / (table.right + table.wrong)
    truth = GapTruth.of(accuracy=accuracy, flag_rate=flag_rate, gap=gap.value)
    taken = "flag rate" if printed else "flag rate and accuracy"
    note = f"{missing}: error with the {taken} of {lent.id}"
    if not truth.possible:
        return replace(blank, note=f"{missing}, and those of {lent.id} do not allow its gap")
    effect = _expected(blank.scale, truth, flag_rate, study.n)
    if effect is None:
        return replace(blank, note=missing)
    return replace(blank, effect=effect, basis="approximation", note=note)


def _expected(scale: Scale, truth: GapTruth, flag_rate: float, n: int) -> Effect | None:
    """The effect of a study whose shares are exactly the expected ones."""
    a, b, c, d = (float(share) * n for share in truth.shares(flag_rate))
    if min(a, b, c, d) <= 0:
        return None
    if scale == "log_odds_ratio":
        error = math.sqrt(1 / a + 1 / b + 1 / c + 1 / d)
        return Effect(estimate=math.log(a * d / (b * c)), error=error)
    first, second = truth.monotone, truth.other
    variance = first * (1 - first) / (a + b) + second * (1 - second) / (c + d)
    return Effect(estimate=100 * (first - second), error=100 * math.sqrt(variance))


def _from_rho(blank: StudyEffect, study: Study, rho: float) -> StudyEffect:
    """A printed correlation, its error simulated where the print says enough."""
    tables = fitting_tables(study)
    error: float | None = None
    if blank.estimand == "rho_violations" and tables:
        error = violations_error(tables[0], rho)
    printed = one(study, "accuracy_percent")
    right = tables[0].right / (tables[0].right + tables[0].wrong) if tables else None
    accuracy = printed.value / 100 if printed else right
    if blank.estimand == "rho_coherence" and accuracy is not None:
        error = coherence_error(study.n, accuracy, rho)
    if error is not None:
        effect = Effect(estimate=math.atanh(rho), error=error)
        return replace(blank, effect=effect, basis="simulated")
    note = f"{study.source} prints too little to simulate its error: 1/sqrt(n - 3)"
    effect = rho_approximation(rho, study.n)
    return replace(blank, effect=effect, basis="approximation", note=note)
