"""The rows of both tables, in plan order, none left out."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from cot_entropy.plan.exploratory import ExploratoryEntry
from cot_entropy.plan.model import Hypothesis, Plan
from cot_entropy.stats.confirm.decision import decide, holm
from cot_entropy.stats.confirm.hypotheses import Assessment
from cot_entropy.stats.replication.panel import PanelCell
from cot_entropy.stats.row_status import Standing, Standings
from cot_entropy.stats.rows import Estimate, Verdict


@dataclass(frozen=True, kw_only=True)
class CellResult:
    """One cell's assessments by hypothesis id, its exploratory rows, and what pooling needs."""

    cell: str
    trajectories_sha256: str
    assessments: Mapping[str, Assessment]
    explored: tuple[Estimate, ...]
    panel: PanelCell


@dataclass(frozen=True, kw_only=True)
class Report:
    """What both tables are made from; `failed` maps cells to why an earlier stage gave none."""

    plan: Plan
    results: Mapping[str, CellResult]
    standings: Standings
    failed: Mapping[str, str]

    @property
    def outside(self) -> tuple[str, ...]:
        """The cells outside the plan, in the order given."""
        return tuple(cell for cell in self.results if cell not in self.plan.cells)

    def verdict_rows(self) -> list[Estimate]:
        """Every hypothesis in every cell of its population; then the cells outside the plan.

        Holm's adjustment runs over the hypothesis's cells in the plan, cells without a p-value or
        not assessable counted as p = 1; for cells outside the plan over those of this run.
        """
        rows: list[Estimate] = []
        for hypothesis in self.plan.hypotheses:
            rows += self._family(hypothesis, self.plan.cells_of(hypothesis))
        for hypothesis in self.plan.hypotheses:
            judged = [c for c in self.outside if hypothesis.id in self.results[c].assessments]
            rows += self._family(hypothesis, judged)
        return rows

    def estimate_rows(self) -> list[Estimate]:
        """What stands beside the hypotheses, then E1..E15: plan order, `not run` rows included."""
        rows: list[Estimate] = []
        for hypothesis in self.plan.hypotheses:
            for cell in (*self.plan.cells_of(hypothesis), *self.outside):
                rows += self._beside(hypothesis, cell)
        for entry in self.plan.exploratory:
            for cell in (*self.plan.cells_of(entry), *self.outside):
                rows += self._explored(entry, cell)
        return rows

    def _family(self, hypothesis: Hypothesis, cells: Sequence[str]) -> Iterator[Estimate]:
        found = {
            cell: self.results[cell].assessments[hypothesis.id]
            for cell in cells
            if cell in self.results
        }
        eligible = {cell: one.p_value for cell, one in found.items() if not one.shortfall}
        adjusted = dict(zip(cells, holm([eligible.get(cell) for cell in cells]), strict=True))
        for cell in cells:
            standing = self.standings.of(hypothesis.id, cell)
            note = standing.reason
            blank = _marked(
                Estimate(
                    id=hypothesis.id, cell=cell, quantity=hypothesis.estimand, kind=standing.kind
                ),
                standing,
            )
            if cell in found:
                alpha = self.plan.alpha
                yield _judged(blank, found[cell], adjusted[cell], note, alpha=alpha)
            else:
                verdict, why = self._absence(cell)
                yield replace(blank, verdict=verdict, reason=_join(why, note))

    def _beside(self, hypothesis: Hypothesis, cell: str) -> Iterator[Estimate]:
        if cell not in self.results or hypothesis.id not in self.results[cell].assessments:
            return
        found = self.results[cell].assessments[hypothesis.id]
        standing = self.standings.of(hypothesis.id, cell)
        for detail in found.details:
            yield Estimate(
                id=hypothesis.id,
                cell=cell,
                quantity=detail.quantity,
                kind=standing.kind,
                estimate=detail.estimate,
                ci_low=detail.low,
                ci_high=detail.high,
                p_value=detail.p_value,
                n=detail.n,
                n_monotone=found.n_monotone,
                n_correct=found.n_correct,
                reason=_join(detail.reason, standing.reason),
                deviations=";".join(standing.deviations),
            )

    def _explored(self, entry: ExploratoryEntry, cell: str) -> Iterator[Estimate]:
        standing = self.standings.of(entry.id, cell)
        if cell in self.results:
            rows = (row for row in self.results[cell].explored if row.id == entry.id)
            yield from (_marked(row, standing) for row in rows)
            return
        verdict, why = self._absence(cell)
        row = Estimate(
            id=entry.id,
            cell=cell,
            quantity=entry.estimator,
            kind="exploratory",
            verdict=verdict,
            reason=why,
        )
        yield _marked(row, standing)

    def _absence(self, cell: str) -> tuple[Verdict, str]:
        if cell in self.failed:
            return "failed", self.failed[cell]
        return "not run", "no trajectories were given for this cell"


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


def _marked(row: Estimate, standing: Standing) -> Estimate:
    return replace(row, deviations=";".join(standing.deviations))


def _join(*reasons: str) -> str:
    return "; ".join(reason for reason in reasons if reason)
