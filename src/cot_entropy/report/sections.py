"""One section per hypothesis and per exploratory entry, as plain data with its figures."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from cot_entropy.plan.exploratory import ExploratoryEntry
from cot_entropy.plan.model import Bounds, Hypothesis
from cot_entropy.report import text
from cot_entropy.report.absence import why_not_run
from cot_entropy.report.figure import Figure
from cot_entropy.report.figures.forest import Reference, forest
from cot_entropy.report.inputs import ReportInputs
from cot_entropy.report.matrix import Place, place, shared_reasons, tally
from cot_entropy.report.published import marks_of, published_figures
from cot_entropy.stats.read_tables import Row

NAMED = 3
"""Missing quantities that a line names; the table has all."""


@dataclass(frozen=True)
class Pivot:
    """Quantities by cells, as text."""

    cells: tuple[str, ...]
    rows: tuple[tuple[str, tuple[str, ...]], ...]
    exploratory: frozenset[str]
    """The cells whose numbers are, marked where they stand."""


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
    not_run: str
    """Which registered cells were not run, and why; such cells stand in no line."""
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
    shown = tuple(row for row in rows if row.verdict != "not run")
    shared = shared_reasons(inputs.verdicts)
    return HypothesisSection(
        hypothesis=hypothesis,
        anchor=text.slug(hypothesis.id),
        tally=tally(shown or rows),
        estimand=text.ESTIMANDS[hypothesis.estimand],
        rule=text.rule_in_words(hypothesis, inputs.plan.plan.alpha),
        forest=forest(
            shown,
            name=f"forest_{text.slug(hypothesis.id)}",
            plan_id=hypothesis.id,
            estimand=hypothesis.estimand,
            reference=_reference(hypothesis.bounds),
            published=marks_of(published_figures(inputs.comparison), hypothesis.estimand),
        ),
        lines=tuple(place(row, hypothesis.estimand, shared) for row in shown),
        not_run=why_not_run(inputs, hypothesis),
        further=pivot(inputs.of(hypothesis.id)),
        figures=figures,
    )


def entry_section(
    inputs: ReportInputs, entry: ExploratoryEntry, figures: tuple[Figure, ...]
) -> EntrySection:
    """One exploratory entry: figures, every number, and why numbers are missing."""
    rows = inputs.of(entry.id)
    return EntrySection(
        entry=entry,
        anchor=text.slug(entry.id),
        figures=figures,
        pivot=pivot(rows),
        absences=_absences([row for row in rows if row.cell in inputs.cells], entry.estimator),
    )


def _absences(rows: Sequence[Row], estimator: str) -> tuple[str, ...]:
    """`violations, coherence: the signal is constant here (m/d, m/e)`; no names where none is."""
    missing: dict[tuple[str, str], list[str]] = {}
    for row in rows:
        if row.estimate is None and row.reason:
            missing.setdefault((row.reason, row.cell), []).append(row.quantity.replace("_", " "))
    lines: dict[tuple[str, str], list[str]] = {}
    for (reason, cell), names in missing.items():
        named = [name for name in dict.fromkeys(names) if name != estimator.replace("_", " ")]
        more = f" and {len(named) - NAMED} more" if len(named) > NAMED else ""
        head = f"{', '.join(named[:NAMED])}{more}: " if named else ""
        lines.setdefault((head, reason), []).append(cell)
    return tuple(f"{head}{reason} ({', '.join(cells)})" for (head, reason), cells in lines.items())


def pivot(rows: Sequence[Row]) -> Pivot:
    """Quantities by cells in order of first mention; a number that was not run says `not run`."""
    cells = tuple(dict.fromkeys(row.cell for row in rows if row.estimate is not None))
    by_place = {(row.quantity, row.cell): row for row in rows}
    quantities = dict.fromkeys(row.quantity for row in rows if row.cell in cells)
    return Pivot(
        cells,
        tuple((q, tuple(_value(by_place.get((q, cell))) for cell in cells)) for q in quantities),
        frozenset(row.cell for row in rows if row.kind == "exploratory"),
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
