"""E14: each original effect beside each later study of the same cell, by every measure."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from cot_entropy.plan.entries.replication import ReplicationParams
from cot_entropy.plan.model import Hypothesis, Plan
from cot_entropy.stats.intervals import Bracket
from cot_entropy.stats.replication.agreement import (
    difference,
    inside,
    prediction_interval,
    significant_alike,
)
from cot_entropy.stats.replication.bayes import log_replication_bayes_factor
from cot_entropy.stats.replication.combined import fixed_effect
from cot_entropy.stats.replication.effects import Effect, Scale
from cot_entropy.stats.replication.null_claims import null_evidence
from cot_entropy.stats.replication.published_effects import StudyEffect
from cot_entropy.stats.replication.rows import THIS_RUN, ReplicationRow
from cot_entropy.stats.replication.sceptical import Recalibration, sceptical_p
from cot_entropy.stats.replication.telescopes import detectable_effect, smaller_than_detectable

LARGEST: Final = 690.0
"""Of a log Bayes factor: beyond it the factor itself is out of a float's range."""
NOT_SIGNIFICANT: Final = "the original is not significant: no finding to replicate"
NO_DIRECTION: Final = "the original's estimate is 0 and names no direction"
RECALIBRATIONS: Final[tuple[Recalibration, ...]] = ("nominal", "golden")


def replication_rows(
    plan: Plan, params: ReplicationParams, effects: Sequence[StudyEffect]
) -> list[ReplicationRow]:
    """Every pair of studies of different sources, each hypothesis and cell in plan order.

    `effects` stand in the order of their sources: an earlier source is the original.
    """
    sources = list(dict.fromkeys(one.source for one in effects))
    rows: list[ReplicationRow] = []
    for hypothesis in plan.hypotheses:
        for cell in plan.cells_of(hypothesis):
            about = [
                one for one in effects if (one.estimand, one.cell) == (hypothesis.estimand, cell)
            ]
            for original in about:
                later = [
                    one
                    for one in about
                    if one.scale == original.scale
                    and sources.index(one.source) > sources.index(original.source)
                ]
                rows += _alone(hypothesis, original, about)
                for replication in later:
                    rows += Pair(hypothesis, original, replication, plan, params).rows()
    return rows


def _alone(
    hypothesis: Hypothesis, one: StudyEffect, about: Sequence[StudyEffect]
) -> Iterator[ReplicationRow]:
    """What a study printed and no other one did."""
    if {other.source for other in about} == {one.source} and one.source != THIS_RUN:
        yield ReplicationRow(
            id="E14",
            hypothesis=hypothesis.id,
            cell=one.cell,
            original=one.study,
            design=one.design,
            scale=NAMES[one.scale],
            quantity="unpaired_effect",
            estimate=natural(one.effect.estimate, one.scale) if one.effect else None,
            n=one.n,
            basis=one.basis,
            reason=f"only {one.source} prints {one.estimand} for this cell",
        )


@dataclass(frozen=True)
class Pair:
    """An original and a later study of one claim in one cell, on one scale."""

    hypothesis: Hypothesis
    original: StudyEffect
    replication: StudyEffect
    plan: Plan
    params: ReplicationParams

    def rows(self) -> Iterator[ReplicationRow]:
        """Both effects, then the measures; only the effects where one has no error."""
        for role, one in (("original", self.original), ("replication", self.replication)):
            yield self._effect_row(f"{role}_effect", one)
        first, second = self.original.effect, self.replication.effect
        if first is None or second is None:
            return
        yield from self._agreement(first, second)
        if self.hypothesis.rule == "within":
            yield from self._null_claim(first, second)
        else:
            yield from self._claim(first, second)
        both = fixed_effect([first, second])
        note = "fixed effect: takes one effect for granted, answers no question of replication"
        yield self._row(
            "combined_effect", both.estimate, both.interval(self.plan.level), reason=note,
            p_value=both.p_value,
        )  # fmt: skip

    def _agreement(self, first: Effect, second: Effect) -> Iterator[ReplicationRow]:
        level, alpha = self.plan.level, self.plan.alpha
        contained = inside(first.estimate, second.interval(level))
        yield self._row("original_in_replication_interval", met=contained)
        predicted = prediction_interval(first, replication_error=second.error, level=level)
        yield self._row(
            "replication_in_prediction_interval", first.estimate, predicted,
            met=inside(second.estimate, predicted),
        )  # fmt: skip
        found = difference(first, second)
        row = self._row("difference", p_value=found.p_value, met=found.p_value >= alpha)
        interval = found.effect.interval(level)
        values = [found.effect.estimate, interval.low, interval.high]
        if self.original.scale == "log_odds_ratio":
            values = [math.exp(value) for value in values]
        note = "met: not significantly different, which is no proof of equality"
        yield replace(row, estimate=values[0], ci_low=values[1], ci_high=values[2], reason=note)

    def _claim(self, first: Effect, second: Effect) -> Iterator[ReplicationRow]:
        alpha = self.plan.alpha
        alike = significant_alike(first, second, alpha=alpha)
        yield self._row(
            "significant_in_the_same_direction", met=alike, p_value=second.p_value,
            reason="" if alike is not None else NOT_SIGNIFICANT,
        )  # fmt: skip
        power = self.params.small_power
        small = detectable_effect(first.error, power=power, alpha=alpha)
        p = smaller_than_detectable(first, second, power=power, alpha=alpha)
        yield self._row(
            "small_telescopes", math.copysign(small, first.estimate), p_value=p,
            met=None if p is None else p >= alpha,
            reason=NO_DIRECTION if p is None else f"met: not below the effect of {power:.0%} power",
        )  # fmt: skip
        for kind in RECALIBRATIONS:
            p = sceptical_p(first, second, recalibration=kind)
            yield self._row(f"sceptical_p_{kind}", p_value=p, met=p < alpha / 2)
        factor = math.exp(min(log_replication_bayes_factor(first, second), LARGEST))
        row = self._row("replication_bayes_factor", met=factor >= self.params.evidence)
        yield replace(row, estimate=factor)

    def _null_claim(self, first: Effect, second: Effect) -> Iterator[ReplicationRow]:
        low, high = self.hypothesis.bounds.low, self.hypothesis.bounds.high
        if low is None or high is None:
            return
        alpha = self.plan.alpha
        prior = self.params.null_prior_sd
        found = [null_evidence(one, low, high, prior_sd=prior) for one in (first, second)]
        for role, one in zip(("original", "replication"), found, strict=True):
            yield self._row(
                f"{role}_equivalence", p_value=one.equivalence_p, met=one.equivalent(alpha)
            )
            row = self._row(f"{role}_null_bayes_factor", met=one.favours_null(self.params.evidence))
            yield replace(row, estimate=one.bayes_factor)
        yield self._row("null_in_both", met=all(one.equivalent(alpha) for one in found))
        silent = all(one.p_value >= alpha for one in (first, second))
        note = "not significant in both" if silent else "significant in at least one"
        yield self._row("significance", reason=f"{note}: says nothing about a null claim")

    def _effect_row(self, quantity: str, one: StudyEffect) -> ReplicationRow:
        effect = one.effect
        row = replace(self._row(quantity, reason=one.note), n=one.n, basis=one.basis)
        if effect is None:
            return row
        shown = self._row(quantity, effect.estimate, effect.interval(self.plan.level))
        return replace(
            row, estimate=shown.estimate, ci_low=shown.ci_low, ci_high=shown.ci_high,
            p_value=effect.p_value,
        )  # fmt: skip

    def _row(
        self,
        quantity: str,
        estimate: float | None = None,
        interval: Bracket | None = None,
        **more: Any,
    ) -> ReplicationRow:
        scale, first, second = self.original.scale, self.original, self.replication
        low, high = interval or (None, None)
        values = [natural(value, scale) for value in (estimate, low, high)]
        return ReplicationRow(
            id="E14",
            hypothesis=self.hypothesis.id,
            cell=first.cell,
            original=first.study,
            replication=second.study,
            design="pilot" if "pilot" in {first.design, second.design} else "matched",
            scale=NAMES[scale],
            quantity=quantity,
            estimate=values[0],
            ci_low=values[1],
            ci_high=values[2],
            **more,
        )


NAMES: Final[dict[Scale, Any]] = {
    "accuracy_gap_pp": "accuracy_gap_pp",
    "log_odds_ratio": "odds_ratio",
    "atanh_rho": "rho",
}


def natural(value: float | None, scale: Scale) -> float | None:
    """A value of the scale in the unit that is shown: points, an odds ratio, or rho."""
    if value is None:
        return None
    if scale == "log_odds_ratio":
        return math.exp(min(value, LARGEST))
    return math.tanh(value) if scale == "atanh_rho" else value
