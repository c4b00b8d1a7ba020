"""One section per hypothesis and per exploratory entry, as plain data with its figures."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from cot_entropy.prereg.exploratory import ExploratoryEntry
from cot_entropy.prereg.plan_model import Bounds, Hypothesis
from cot_entropy.report import text
from cot_entropy.report.figure import Figure
from cot_entropy.report.figures.forest import Reference, forest
from cot_entropy.report.inputs import ReportInputs
from cot_entropy.report.matrix import Place, place, shared_reasons, tally
from cot_entropy.report.published import marks_of, published_figures
from cot_entropy.report.rows import Row


@dataclass(frozen=True)
class Pivot:
    """Quantities by cells, as text."""

    cells: tuple[str, ...]
    rows: tuple[tuple[str, tuple[str, ...]], ...]


@dataclass(frozen=True, kw_only=True)
class HypothesisSection:
    """All that the report shows of one hypothesis."""

    hypothesis: Hypothesis
    anchor: str
    tally: str
    estimand: str
    rule: str
    forest: Figure | None
    lines: tuple[Place, ...]
    not_run: tuple[str, ...]
    """Registered cells without a run; not in `lines` unless no cell was run."""
    further: Pivot
    figures: tuple[Figure, ...]


@dataclass(frozen=True, kw_only=True)
class EntrySection:
    """All that the report shows of one exploratory entry."""

    entry: ExploratoryEntry
    anchor: str
    figures: tuple[Figure, ...]
    pivot: Pivot
    absences: tuple[str, ...]
    """Why quantities are missing, each reason with its cells."""


def hypothesis_section(
    inputs: ReportInputs, hypothesis: Hypothesis, figures: tuple[Figure, ...] = ()
) -> HypothesisSection:
    """One hypothesis: its rule in words, forest plot, table, and every other number about it."""
    rows = tuple(row for row in inputs.verdicts if row.id == hypothesis.id)
    shown = tuple(row for row in rows if row.verdict != "not run") or rows
    shared = shared_reasons(inputs.verdicts)
    return HypothesisSection(
        hypothesis=hypothesis,
        anchor=text.slug(hypothesis.id),
        tally=tally(shown),
        estimand=text.ESTIMANDS[hypothesis.estimand],
        rule=text.rule_in_words(hypothesis, inputs.plan.plan.alpha),
        forest=forest(
            shown,
            name=f"forest_{text.slug(hypothesis.id)}",
            plan_id=hypothesis.id,
            estimand=hypothesis.estimand,
            reference=_reference(hypothesis.bounds),
            published=marks_of(
                published_figures(inputs.tables.get("comparison")), hypothesis.estimand
            ),
        ),
        lines=tuple(place(row, hypothesis.estimand, shared) for row in shown),
        not_run=tuple(row.cell for row in rows if row not in shown),
        further=pivot(inputs.of(hypothesis.id)),
        figures=figures,
    )


def entry_section(
    inputs: ReportInputs, entry: ExploratoryEntry, figures: tuple[Figure, ...]
) -> EntrySection:
    """One exploratory entry: figures, every number, and why numbers are missing."""
    rows = inputs.of(entry.id)
    missing: dict[str, dict[str, None]] = {}
    for row in rows:
        if row.estimate is None and row.cell in inputs.cells and row.reason:
            missing.setdefault(row.reason, {})[row.cell] = None
    return EntrySection(
        entry=entry,
        anchor=text.slug(entry.id),
        figures=figures,
        pivot=pivot(rows),
        absences=tuple(f"{reason} ({', '.join(cells)})" for reason, cells in missing.items()),
    )


def pivot(rows: Sequence[Row]) -> Pivot:
    """Quantities by cells in order of first mention; a number that was not run says `not run`."""
    cells = tuple(dict.fromkeys(row.cell for row in rows if row.estimate is not None))
    by_place = {(row.quantity, row.cell): row for row in rows}
    quantities = dict.fromkeys(row.quantity for row in rows if row.cell in cells)
    return Pivot(
        cells,
        tuple((q, tuple(_value(by_place.get((q, cell))) for cell in cells)) for q in quantities),
    )


def _value(row: Row | None) -> str:
    if row is None:
        return ""
    if row.estimate is None:
        p = "" if row.p_value is None else f"p {text.p_value(row.p_value)}"
        return p or ("not run" if row.verdict == "not run" else "–")
    if row.ci_low is None or row.ci_high is None:
        return text.compact(row.estimate)
    low, high = text.compact(row.ci_low), text.compact(row.ci_high)
    return f"{text.compact(row.estimate)} [{low}, {high}]"


def _reference(bounds: Bounds) -> Reference:
    if bounds.threshold is not None:
        return Reference(low=bounds.threshold, high=bounds.threshold)
    return Reference(low=bounds.low or 0.0, high=bounds.high or 0.0)
