"""The report's parts as plain data: the verdict matrix, one section per hypothesis, pivots."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from cot_entropy.prereg.plan_model import Bounds, Hypothesis
from cot_entropy.report import text
from cot_entropy.report.figure import Figure
from cot_entropy.report.figures.forest import Reference, forest
from cot_entropy.report.inputs import ReportInputs
from cot_entropy.report.published import published_marks
from cot_entropy.report.rows import VERDICTS, Row


@dataclass(frozen=True, kw_only=True)
class Place:
    """One hypothesis in one cell, as text."""

    cell: str
    kind: str
    word: str
    estimate: str
    interval: str
    p: str
    p_holm: str
    n: str
    n_monotone: str
    n_correct: str
    reason: str

    @property
    def symbol(self) -> str:
        """The verdict's sign: colour is never the only difference."""
        return text.SYMBOLS[self.word]


@dataclass(frozen=True, kw_only=True)
class Line:
    """One hypothesis over all cells; None where it is not about a cell."""

    id: str
    anchor: str
    claim: str
    places: tuple[Place | None, ...]


@dataclass(frozen=True, kw_only=True)
class Matrix:
    """Hypotheses by cells."""

    cells: tuple[str, ...]
    lines: tuple[Line, ...]
    not_run: tuple[str, ...]
    """Cells without any run hypothesis; they have no column."""
    sentence: str


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
    forest: Figure
    lines: tuple[Place, ...]
    further: Pivot
    figures: tuple[Figure, ...]
    symbols: dict[str, str] = field(default_factory=lambda: dict(text.SYMBOLS))


def verdict_matrix(inputs: ReportInputs) -> Matrix:
    """The matrix, in plan order; cells where nothing was run are named beside it."""
    run = {row.cell for row in inputs.verdicts if row.verdict != "not run"}
    named = tuple(dict.fromkeys(row.cell for row in inputs.verdicts))
    cells = tuple(cell for cell in named if cell in run) or named
    by_place = {(row.id, row.cell): row for row in inputs.verdicts}
    lines = []
    for hypothesis in inputs.plan.plan.hypotheses:
        rows = [by_place.get((hypothesis.id, cell)) for cell in cells]
        places = tuple(_place(row, hypothesis.estimand) if row else None for row in rows)
        lines.append(
            Line(
                id=hypothesis.id,
                anchor=text.slug(hypothesis.id),
                claim=hypothesis.claim,
                places=places,
            )
        )
    return Matrix(
        cells=cells,
        lines=tuple(lines),
        not_run=tuple(cell for cell in named if cell not in cells),
        sentence=_sentence(inputs.verdicts),
    )


def hypothesis_section(
    inputs: ReportInputs, hypothesis: Hypothesis, figures: tuple[Figure, ...] = ()
) -> HypothesisSection:
    """One hypothesis: its rule in words, forest plot, table, and every other number about it."""
    rows = tuple(row for row in inputs.verdicts if row.id == hypothesis.id)
    shown = tuple(row for row in rows if row.verdict != "not run") or rows
    estimand = text.ESTIMANDS[hypothesis.estimand]
    return HypothesisSection(
        hypothesis=hypothesis,
        anchor=text.slug(hypothesis.id),
        tally=tally(rows),
        estimand=estimand,
        rule=text.rule_in_words(hypothesis, inputs.plan.plan.alpha),
        forest=forest(
            shown,
            name=f"forest_{text.slug(hypothesis.id)}",
            plan_id=hypothesis.id,
            title=f"{hypothesis.id} by cell",
            caption=(
                "Estimate and deciding interval of each cell; the dashed line is the registered "
                "threshold, a shaded band the registered equivalence range. Hollow dots and dashed "
                "bars are exploratory. Diamonds are published values, not matched in every detail."
            ),
            unit=estimand,
            places=text.decimals(hypothesis.estimand),
            reference=_reference(hypothesis.bounds),
            published=published_marks(inputs.tables.get("comparison"), hypothesis.estimand),
        ),
        lines=tuple(_place(row, hypothesis.estimand) for row in rows),
        further=pivot(inputs.of(hypothesis.id)),
        figures=figures,
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


def tally(rows: Sequence[Row]) -> str:
    """`Supported in 4 of 6 cells, inconclusive in 2.`, registered cells first."""
    parts = []
    for kind, label in (("confirmatory", ""), ("exploratory", "Exploratory: ")):
        chosen = [row for row in rows if row.kind == kind]
        words = Counter(row.verdict for row in chosen)
        counted = [f"{word} in {words[word]}" for word in VERDICTS if words[word]]
        if not counted:
            continue
        counted[0] += f" of {len(chosen)} cells" if len(chosen) > 1 else " of 1 cell"
        sentence = ", ".join(counted) + "."
        parts.append(label + (sentence if label else sentence[0].upper() + sentence[1:]))
    return " ".join(parts)


def _sentence(rows: Sequence[Row]) -> str:
    confirmatory = [row for row in rows if row.kind == "confirmatory"]
    words = Counter(row.verdict for row in confirmatory)
    counted = ", ".join(f"{words[word]} {word}" for word in VERDICTS if words[word])
    exploratory = len(rows) - len(confirmatory)
    sentence = (
        f"Of {len(confirmatory)} registered tests: {counted}."
        if confirmatory
        else "No registered test: every verdict here is exploratory."
    )
    if confirmatory and exploratory:
        sentence += f" {exploratory} further verdicts are exploratory and marked so."
    return sentence


def _place(row: Row, estimand: str) -> Place:
    places = text.decimals(estimand)
    show = text.plain if estimand == "filter_auroc" else text.signed
    return Place(
        cell=row.cell,
        kind=row.kind,
        word=row.verdict or "not run",
        estimate="" if row.estimate is None else show(row.estimate, places),
        interval=text.interval(row, places),
        p=text.p_value(row.p_value),
        p_holm=text.p_value(row.p_holm),
        n=text.count(row.n),
        n_monotone=text.count(row.n_monotone),
        n_correct=text.count(row.n_correct),
        reason=row.reason,
    )


def _value(row: Row | None) -> str:
    if row is None:
        return ""
    if row.estimate is None:
        return "not run" if row.verdict == "not run" else "–"
    if row.ci_low is None or row.ci_high is None:
        return text.compact(row.estimate)
    low, high = text.compact(row.ci_low), text.compact(row.ci_high)
    return f"{text.compact(row.estimate)} [{low}, {high}]"


def _reference(bounds: Bounds) -> Reference:
    if bounds.threshold is not None:
        return Reference(low=bounds.threshold, high=bounds.threshold)
    return Reference(low=bounds.low or 0.0, high=bounds.high or 0.0)
