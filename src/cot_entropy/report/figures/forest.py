"""Forest plot: one estimate and interval per cell, published values marked beside ours."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from cot_entropy.report import text
from cot_entropy.report.figure import Figure, Value
from cot_entropy.report.published import Published
from cot_entropy.report.svg import Canvas, Scale, tick_label
from cot_entropy.stats.read_tables import Row

WIDTH = 440.0
LEFT, RIGHT = 14.0, 426.0
TOP, STEP = 12.0, 48.0
CAPTION = (
    "Estimate and deciding interval of each cell; the dashed line is the registered threshold, a "
    "shaded band the registered equivalence range. Hollow dots and dashed bars are exploratory. "
    "Marks below a bar are published values: filled where the protocol is R26's, hollow for Z26's."
)


@dataclass(frozen=True, kw_only=True)
class Reference:
    """What a forest plot is read against: a threshold, or the band of an equivalence test."""

    low: float
    high: float


def forest(
    rows: Sequence[Row],
    *,
    name: str,
    plan_id: str,
    estimand: str,
    reference: Reference,
    published: Sequence[Published] = (),
) -> Figure | None:
    """Draw the rows in order; a row without an estimate says why not. None if all are without."""
    if all(row.estimate is None for row in rows):
        return None
    title, places = f"{plan_id} by cell", text.decimals(estimand)
    height = TOP + STEP * len(rows) + 44
    canvas = Canvas(WIDTH, height, _label(rows, title, estimand))
    marks = {row.cell: [mark for mark in published if mark.cell == row.cell] for row in rows}
    scale = _scale(rows, [mark.value for found in marks.values() for mark in found], reference)
    bottom = TOP + STEP * len(rows)
    _frame(canvas, scale, reference, bottom, text.ESTIMANDS[estimand])
    for index, row in enumerate(rows):
        y = TOP + STEP * index + 27
        canvas.text(LEFT, y - 14, row.cell, "label strong")
        if row.estimate is None:
            canvas.text(LEFT, y + 4, row.verdict or "no estimate", "label muted")
        else:
            shown = f"{text.estimate(row.estimate, estimand)} {text.interval(row, places)}"
            canvas.text(RIGHT, y - 14, shown, "label", "end")
            _interval(canvas, scale, row, y)
        for mark in marks[row.cell]:
            canvas.mark(scale(mark.value), y + 9, mark.style)
    columns = (
        "id", "cell", "kind", "estimate", "ci_low", "ci_high", "verdict", "published", "source"
    )  # fmt: skip
    data: list[list[Value]] = []
    for row in rows:
        own: list[Value] = [row.id, row.cell, row.kind, row.estimate, row.ci_low, row.ci_high]
        data.append([*own, row.verdict, None, None])
        data += [
            [row.id, row.cell, "published", None, None, None, None, mark.value, mark.source]
            for mark in marks[row.cell]
        ]
    return Figure(
        name=name,
        plan_ids=(plan_id,),
        title=title,
        caption=CAPTION,
        exploratory=all(row.kind == "exploratory" for row in rows),
        panels=(canvas.markup(),),
        columns=columns,
        rows=data,
        legend=_legend(marks),
    )


def _legend(marks: dict[str, list[Published]]) -> tuple[tuple[str, str], ...]:
    published = {mark.style: mark.label for found in marks.values() for mark in found}
    swatches = [(f"swatch-{style.replace(' ', '-')}", label) for style, label in published.items()]
    return (("swatch-ours", "this run, with its interval"), *swatches)


def _interval(canvas: Canvas, scale: Scale, row: Row, y: float) -> None:
    kind = "ours" if row.kind == "confirmatory" else "ours exploratory"
    if row.ci_low is not None and row.ci_high is not None:
        low, high = scale(row.ci_low), scale(row.ci_high)
        canvas.line(low, y, high, y, f"{kind} bar")
        for end in (low, high):
            canvas.line(end, y - 5, end, y + 5, f"{kind} bar")
    if row.estimate is not None:
        canvas.circle(scale(row.estimate), y, 4.5, f"{kind} dot")


def _frame(canvas: Canvas, scale: Scale, reference: Reference, bottom: float, unit: str) -> None:
    low, high = scale(reference.low), scale(reference.high)
    if high > low:
        canvas.add("rect", x=low, y=TOP, width=high - low, height=bottom - TOP, cls="band")
    for tick in scale.ticks(6):
        canvas.line(scale(tick), bottom, scale(tick), bottom + 4, "axis")
        canvas.text(scale(tick), bottom + 16, tick_label(tick), "tick", "middle")
    canvas.line(LEFT, bottom, RIGHT, bottom, "axis")
    for edge in {low, high}:
        canvas.line(edge, TOP, edge, bottom, "reference")
    canvas.text((LEFT + RIGHT) / 2, bottom + 34, unit, "axis-title", "middle")


def _scale(rows: Sequence[Row], published: Sequence[float], reference: Reference) -> Scale:
    values = [reference.low, reference.high, *published]
    for row in rows:
        values += [v for v in (row.estimate, row.ci_low, row.ci_high) if v is not None]
    low, high = min(values), max(values)
    margin = 0.06 * (high - low) or 1.0
    return Scale(low - margin, high + margin, LEFT, RIGHT)


def _label(rows: Sequence[Row], title: str, estimand: str) -> str:
    places = text.decimals(estimand)
    parts = [
        f"{row.cell}: {text.estimate(row.estimate, estimand)} {text.interval(row, places)}"
        for row in rows
        if row.estimate is not None
    ]
    return f"{title}. " + ("; ".join(parts) or "No cell has an estimate") + "."
