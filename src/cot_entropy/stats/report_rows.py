"""The rows of both tables, in plan order, none left out."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from cot_entropy.prereg.plan_model import Hypothesis, Plan
from cot_entropy.stats.decision import decide, holm
from cot_entropy.stats.hypotheses import Assessment
from cot_entropy.stats.rows import Estimate, Kind, Verdict


@dataclass(frozen=True, kw_only=True)
class Standing:
    """Whether a freeze vouches for an analysis, and for which cells not.

    `demoted` maps cells of the plan to the reason why their rows are exploratory. Without
    `confirmatory` every row is exploratory, and `note` says why.
    """

    confirmatory: bool = False
    note: str = "unverified: no matching freeze and provenance"
    demoted: Mapping[str, str] | None = None

    def of(self, cell: str, *, registered: bool) -> tuple[Kind, str]:
        """The kind of a cell's rows, and the reason where they are exploratory."""
        if not self.confirmatory:
            return "exploratory", self.note
        if not registered:
            return "exploratory", "not a cell of the plan"
        if self.demoted and cell in self.demoted:
            return "exploratory", self.demoted[cell]
        return "confirmatory", ""


@dataclass(frozen=True, kw_only=True)
class CellResult:
    """One cell's assessments by hypothesis id and its exploratory rows."""

    cell: str
    trajectories_sha256: str
    assessments: Mapping[str, Assessment]
    explored: tuple[Estimate, ...]


def verdict_rows(
    plan: Plan,
    results: Mapping[str, CellResult],
    standing: Standing,
    failed: Mapping[str, str],
) -> list[Estimate]:
    """Every hypothesis in every cell of its population; then the cells outside the plan.

    Holm's adjustment runs over the hypothesis's cells in the plan, cells without a p-value or
    not assessable counted as p = 1; for cells outside the plan over those of this run.
    """
    rows = []
    for hypothesis in plan.hypotheses:
        rows += _family(hypothesis, plan.cells_of(hypothesis), plan, results, standing, failed)
    outside = tuple(cell for cell in results if cell not in plan.cells)
    for hypothesis in plan.hypotheses:
        cells = tuple(cell for cell in outside if hypothesis.id in results[cell].assessments)
        rows += _family(hypothesis, cells, plan, results, standing, failed)
    return rows


def _family(
    hypothesis: Hypothesis,
    cells: tuple[str, ...],
    plan: Plan,
    results: Mapping[str, CellResult],
    standing: Standing,
    failed: Mapping[str, str],
) -> Iterator[Estimate]:
    found = {cell: results[cell].assessments[hypothesis.id] for cell in cells if cell in results}
    eligible = {cell: one.p_value for cell, one in found.items() if not one.shortfall}
    adjusted = dict(zip(cells, holm([eligible.get(cell) for cell in cells]), strict=True))
    for cell in cells:
        kind, note = standing.of(cell, registered=cell in plan.cells_of(hypothesis))
        blank = Estimate(id=hypothesis.id, cell=cell, quantity=hypothesis.estimand, kind=kind)
        if cell not in found:
            verdict, why = _absence(cell, failed)
            yield replace(blank, verdict=verdict, reason=_join(why, note))
            continue
        yield _judged(blank, found[cell], adjusted[cell], note, alpha=plan.alpha)


def _judged(
    blank: Estimate, found: Assessment, p_holm: float | None, note: str, *, alpha: float
) -> Estimate:
    verdict: Verdict = "not assessable"
    why = found.shortfall
    if not found.shortfall:
        verdict, why = decide(found.reading, p_holm, alpha=alpha)
    return replace(
        blank,
        estimate=found.estimate,
        ci_low=found.bracket.low if found.bracket else None,
        ci_high=found.bracket.high if found.bracket else None,
        p_value=found.p_value,
        p_holm=p_holm,
        n=found.n,
        n_monotone=found.n_monotone,
        n_correct=found.n_correct,
        verdict=verdict,
        reason=_join(why, found.notes, note),
    )


def estimate_rows(
    plan: Plan,
    results: Mapping[str, CellResult],
    standing: Standing,
    failed: Mapping[str, str],
) -> list[Estimate]:
    """What stands beside the hypotheses, then E1..E13: plan order, `not run` rows included."""
    rows = []
    outside = tuple(cell for cell in results if cell not in plan.cells)
    for hypothesis in plan.hypotheses:
        for cell in (*plan.cells_of(hypothesis), *outside):
            rows += _beside(hypothesis, cell, plan, results, standing)
    for entry in plan.exploratory:
        for cell in (*plan.cells_of(entry), *outside):
            if cell in results:
                rows += [row for row in results[cell].explored if row.id == entry.id]
                continue
            verdict, why = _absence(cell, failed)
            rows.append(
                Estimate(
                    id=entry.id,
                    cell=cell,
                    quantity=entry.estimator,
                    kind="exploratory",
                    verdict=verdict,
                    reason=why,
                )
            )
    return rows


def _beside(
    hypothesis: Hypothesis,
    cell: str,
    plan: Plan,
    results: Mapping[str, CellResult],
    standing: Standing,
) -> Iterator[Estimate]:
    if cell not in results or hypothesis.id not in results[cell].assessments:
        return
    found = results[cell].assessments[hypothesis.id]
    kind, note = standing.of(cell, registered=cell in plan.cells_of(hypothesis))
    for detail in found.details:
        yield Estimate(
            id=hypothesis.id,
            cell=cell,
            quantity=detail.quantity,
            kind=kind,
            estimate=detail.estimate,
            ci_low=detail.low,
            ci_high=detail.high,
            p_value=detail.p_value,
            n=detail.n,
            n_monotone=found.n_monotone,
            n_correct=found.n_correct,
            reason=_join(detail.reason, note),
        )


def _absence(cell: str, failed: Mapping[str, str]) -> tuple[Verdict, str]:
    if cell in failed:
        return "failed", failed[cell]
    return "not run", "no trajectories were given for this cell"


def _join(*reasons: str) -> str:
    return "; ".join(reason for reason in reasons if reason)
