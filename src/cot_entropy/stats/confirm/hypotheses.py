"""H1..H5 in one cell: resample once, then judge every hypothesis that applies."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from cot_entropy.plan.entries.coherence_map import CoherenceMap
from cot_entropy.plan.model import Hypothesis, Plan
from cot_entropy.stats.cells import Cell, NullBounds, Settings
from cot_entropy.stats.confirm.decision import Reading, read_rule
from cot_entropy.stats.confirm.error_filter_evidence import FilterSampleOfCell
from cot_entropy.stats.confirm.evidence import Detail, Evidence, Sample
from cot_entropy.stats.confirm.gap_evidence import GapSample
from cot_entropy.stats.confirm.rank_evidence import RankedSignal, RankSample
from cot_entropy.stats.intervals import Bracket
from cot_entropy.stats.resampling import bootstrap


@dataclass(frozen=True, kw_only=True)
class Assessment:
    """One hypothesis in one cell, before the adjustment over cells.

    `bracket` is the deciding interval at the plan's level. `shortfall` says why the cell is not
    assessable; `notes` what was left out.
    """

    hypothesis: str
    estimate: float | None
    bracket: Bracket | None
    reading: Reading
    p_value: float | None
    n: int
    n_monotone: int
    n_correct: int
    shortfall: str
    notes: str
    details: tuple[Detail, ...]


def assess(cell: Cell, hypotheses: Sequence[Hypothesis], plan: Plan) -> list[Assessment]:
    """Judge hypotheses in a cell; each estimand is resampled once, on the same resamples."""
    samples = [_sample(cell, hypothesis, plan) for hypothesis in hypotheses]
    draws = bootstrap(cell.counts(settings_of(plan)), [sample.statistic for sample in samples])
    return [
        _assessment(cell, hypothesis, plan, sample.evidence(drawn))
        for hypothesis, sample, drawn in zip(hypotheses, samples, draws, strict=True)
    ]


def settings_of(plan: Plan) -> Settings:
    """The plan's numbers that every statistic needs."""
    return Settings(
        resamples=plan.resamples,
        seed=plan.seed,
        level=plan.level,
        eps=plan.eps,
        m=plan.m,
        null=_null_bounds(plan),
    )


def _null_bounds(plan: Plan) -> NullBounds | None:
    """The criterion of the plan's coherence map; None where it has none, or one without bounds."""
    for entry in plan.exploratory:
        if isinstance(entry, CoherenceMap):
            criterion = next(one for one in plan.hypotheses if one.id == entry.params.criterion)
            low, high = criterion.bounds.low, criterion.bounds.high
            if low is not None and high is not None:
                levels = criterion.levels
                return NullBounds(low, high, levels.supported, levels.refuted)
    return None


def _sample(cell: Cell, hypothesis: Hypothesis, plan: Plan) -> Sample:
    if hypothesis.estimand == "accuracy_gap_pp":
        return GapSample(cell)
    if hypothesis.filter is not None:
        return FilterSampleOfCell(cell, hypothesis.filter, plan.seed)
    signal: RankedSignal = "coherence" if hypothesis.estimand == "rho_coherence" else "violations"
    return RankSample(cell=cell, signal=signal, permutations=plan.permutations, seed=plan.seed)


def _assessment(cell: Cell, hypothesis: Hypothesis, plan: Plan, evidence: Evidence) -> Assessment:
    name, levels = hypothesis.interval, hypothesis.levels
    shortfall = evidence.sizes.shortfall(hypothesis.assessable)
    if not shortfall and evidence.estimate is None:
        shortfall = "the estimand is undefined: the signal or the outcome is constant"
    return Assessment(
        hypothesis=hypothesis.id,
        estimate=evidence.estimate,
        bracket=evidence.interval(name, level=plan.level),
        reading=read_rule(
            hypothesis.rule,
            hypothesis.bounds,
            supported=evidence.interval(name, level=levels.supported),
            refuted=evidence.interval(name, level=levels.refuted),
        ),
        p_value=evidence.p_value(hypothesis.p_value, hypothesis.bounds),
        n=evidence.sizes.questions,
        n_monotone=int((cell.shape_defined & cell.monotone).sum()),
        n_correct=evidence.sizes.correct,
        shortfall=shortfall,
        notes=_notes(cell, hypothesis, plan, evidence),
        details=tuple(_details(hypothesis, plan, evidence)),
    )


def _notes(cell: Cell, hypothesis: Hypothesis, plan: Plan, evidence: Evidence) -> str:
    notes = []
    considered = cell.n
    if hypothesis.estimand == "filter_auroc":
        considered = int((cell.shape_defined & cell.monotone).sum())
    if outside := considered - evidence.sizes.questions:
        notes.append(f"{outside} of {considered} questions left out: estimand undefined")
    if cell.failed:
        notes.append(f"{cell.failed} of {cell.n} questions hold an error in place of generations")
    if evidence.dropped:
        notes.append(f"{evidence.dropped} of {plan.resamples} resamples undefined and dropped")
    return "; ".join(notes)


def _details(hypothesis: Hypothesis, plan: Plan, evidence: Evidence) -> Iterator[Detail]:
    levels = {plan.level, hypothesis.levels.supported, hypothesis.levels.refuted}
    for interval in hypothesis.reported_intervals:
        for level in sorted(levels, reverse=True):
            bracket = evidence.interval(interval, level=level)
            yield Detail(
                quantity=f"{hypothesis.estimand}_{interval}_{100 * level:g}",
                estimate=evidence.estimate,
                low=bracket.low if bracket else None,
                high=bracket.high if bracket else None,
                n=evidence.sizes.questions,
                reason="" if bracket else "undefined in this cell",
            )
    yield Detail(quantity="resamples_dropped", estimate=float(evidence.dropped), n=plan.resamples)
    yield from evidence.details(level=plan.level)
