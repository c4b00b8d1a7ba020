"""What stands in the report, in its order: sections as plain data, figures made."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from cot_entropy.plan.entries.pooled import Pooled
from cot_entropy.plan.entries.replication import Replication
from cot_entropy.plan.entries.risk_coverage import RiskCoverage
from cot_entropy.plan.entries.variants import Variants
from cot_entropy.plan.exploratory import ExploratoryEntry
from cot_entropy.report.figure import Figure
from cot_entropy.report.figures.by_violations import by_violations
from cot_entropy.report.figures.calibration import calibration_figures, families
from cot_entropy.report.figures.detectable import detectable_by_cell
from cot_entropy.report.figures.estimated import estimated_figures
from cot_entropy.report.figures.heat_map import confusion_figure, rates_figure
from cot_entropy.report.figures.power import detectable_grids, power_curves, power_grids
from cot_entropy.report.figures.replication_forest import replication_forest
from cot_entropy.report.figures.risk_curves import risk_curves
from cot_entropy.report.figures.sensitivity import sensitivity_figure
from cot_entropy.report.figures.tornado import tornado_figures
from cot_entropy.report.figures.trajectories import trajectories
from cot_entropy.report.inputs import ReportInputs
from cot_entropy.report.matrix import Matrix, verdict_matrix
from cot_entropy.report.paper.tables import PaperTable, paper_tables
from cot_entropy.report.published import Compared, compared, published_figures, same_protocol
from cot_entropy.report.replication import (
    PairTable,
    PooledLine,
    notes,
    pair_tables,
    pooled_lines,
    sentence,
)
from cot_entropy.report.sections import (
    EntrySection,
    HypothesisSection,
    entry_section,
    hypothesis_section,
)

SHAPE_IDS = ("H3", "H4b")
"""Hypotheses about violation counts."""


@dataclass(frozen=True, kw_only=True)
class ReplicationSection:
    """E14 and E15: measures of replication, and one answer over the cells."""

    sentence: str
    forest: Figure | None
    pairs: tuple[PairTable, ...]
    notes: tuple[str, ...]
    """What could not be rebuilt from what was printed."""
    pooled: tuple[PooledLine, ...]


@dataclass(frozen=True, kw_only=True)
class Contents:
    """The report's sections."""

    matrix: Matrix
    hypotheses: tuple[HypothesisSection, ...]
    replication: ReplicationSection | None
    """Originals beside replications, then the cells together; None where the run has no table."""
    across: tuple[ExploratoryEntry, ...]
    """The entries that `replication` shows."""
    paper: tuple[PaperTable, ...]
    """The tables of R26's order."""
    comparison: tuple[tuple[str, tuple[Compared, ...]], ...]
    """Lines under their title: under the same protocol, under another, then the rest."""
    trajectories: Figure
    entries: tuple[EntrySection, ...]
    sensitivity: Figure | None
    calibration: tuple[Figure, ...]
    """Of the simulations: coverage, its map of misses, false support, power."""
    detectable: Figure | None
    judges: Mapping[str, tuple[Figure, ...]]
    """By judge: its confusion matrix and its rates."""

    @property
    def figures(self) -> tuple[Figure, ...]:
        """Every figure of the report: each has a CSV file."""
        found = [figure for one in self.hypotheses for figure in (one.forest, *one.figures)]
        found += [self.replication.forest] if self.replication else []
        found += [self.trajectories, self.sensitivity]
        found += [figure for one in self.entries for figure in one.figures]
        found += [*self.calibration, self.detectable]
        found += [figure for figures in self.judges.values() for figure in figures]
        return tuple(figure for figure in found if figure is not None)

    @property
    def anchors(self) -> tuple[tuple[str, str, str], ...]:
        """(anchor, label, title) of the table of contents; the title says what an id stands for."""
        return (
            ("verdicts", "Verdicts", ""),
            ("differences", "Differences", ""),
            ("paper", "As in the paper", ""),
            *((one.anchor, one.hypothesis.id, one.hypothesis.claim) for one in self.hypotheses),
            ("replication", "Replication", "Did it replicate?"),
            ("published", "Published", ""),
            ("trajectories", "Trajectories", ""),
            *((one.anchor, one.entry.id, one.entry.title) for one in self.entries),
            ("sensitivity", "Sensitivity", ""),
            ("consistency", "Consistency", ""),
            ("calibration", "Calibration", ""),
            ("cost", "Cost", ""),
            ("provenance", "Provenance", ""),
            ("explorer", "Explorer", ""),
        )


def assemble(inputs: ReportInputs) -> Contents:
    """Make every section and figure of a run."""
    plan = inputs.plan.plan
    return Contents(
        matrix=verdict_matrix(inputs),
        hypotheses=tuple(
            hypothesis_section(inputs, hypothesis, _shape_figures(inputs, hypothesis.id))
            for hypothesis in plan.hypotheses
        ),
        replication=_replication(inputs),
        across=tuple(one for one in plan.exploratory if isinstance(one, Replication | Pooled)),
        paper=paper_tables(inputs),
        comparison=_comparison(compared(inputs.comparison)),
        trajectories=trajectories(inputs.cells, level=plan.level),
        entries=tuple(
            entry_section(inputs, entry, _entry_figures(inputs, entry))
            for entry in plan.exploratory
            if not isinstance(entry, Replication | Pooled)
        ),
        sensitivity=sensitivity_figure(inputs.sensitivity),
        judges={
            judge.name: tuple(
                figure for figure in (confusion_figure(judge), rates_figure(judge)) if figure
            )
            for judge in inputs.judges
        },
        calibration=_calibration(inputs),
        detectable=detectable_by_cell(plan, inputs.verdicts),
    )


def _replication(inputs: ReportInputs) -> ReplicationSection | None:
    rows = inputs.replication
    if not rows:
        return None
    return ReplicationSection(
        sentence=sentence(rows),
        forest=replication_forest(rows),
        pairs=pair_tables(rows),
        notes=notes(rows),
        pooled=pooled_lines(rows),
    )


def _comparison(
    lines: tuple[Compared, ...],
) -> tuple[tuple[str, tuple[Compared, ...]], ...]:
    same = tuple(one for one in lines if same_protocol(one.matched) and one.ours)
    other = tuple(one for one in lines if not same_protocol(one.matched) and one.ours)
    rest = tuple(one for one in lines if not one.ours)
    return (
        ("R26's figures, under the registered protocol where it is given, beside ours", same),
        ("Z26's figures, of the same model, dataset and size under another protocol", other),
        ("Published figures without a number of ours in this run", rest),
    )


def _calibration(inputs: ReportInputs) -> tuple[Figure, ...]:
    found, plan = inputs.calibration, inputs.plan.plan
    if found is None:
        return ()
    known = families(plan)
    drawn = (
        *calibration_figures(plan, found.intervals),
        power_curves(known, found.power),
        power_grids(known, found.power),
        detectable_grids(known, found.detectable),
    )
    return tuple(figure for figure in drawn if figure is not None)


def _shape_figures(inputs: ReportInputs, hypothesis: str) -> tuple[Figure, ...]:
    if hypothesis != SHAPE_IDS[0]:
        return ()
    rows = [row for name in SHAPE_IDS for row in inputs.of(name)]
    published = published_figures(inputs.comparison)
    figure = by_violations(rows, plan_ids=SHAPE_IDS, published=published)
    return () if figure is None else (figure,)


def _entry_figures(inputs: ReportInputs, entry: ExploratoryEntry) -> tuple[Figure, ...]:
    found = estimated_figures(entry.estimator, entry.id, inputs.of(entry.id))
    if isinstance(entry, Variants):
        return (*tornado_figures(entry.id, inputs.of(entry.id)), *found)
    if isinstance(entry, RiskCoverage):
        curves = risk_curves(inputs.cells, entry.params.signals, plan_id=entry.id)
        return (curves, *found)
    return found
