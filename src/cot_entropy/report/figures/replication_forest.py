"""Forest of replication: per claim and cell the original, later studies and this run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from markupsafe import Markup

from cot_entropy.report import text
from cot_entropy.report.figure import Figure, Value
from cot_entropy.report.svg import Canvas, Scale, tick_label
from cot_entropy.stats.replication.rows import THIS_RUN, ReplicationRow

WIDTH: Final = 340.0
LEFT: Final = 92.0
RIGHT: Final = 328.0
STEP: Final = 24.0
UNITS: Final = {"accuracy_gap_pp": "accuracy gap, percentage points", "rho": "Spearman rho"}
CAPTION: Final = (
    "Effects with 95 % intervals, originals first. The band behind a later study is the original's "
    "95 % prediction interval for it: where its estimate lies if both estimate one effect. Dashed "
    "intervals are approximations, errors not rebuilt from what was printed; hollow marks are "
    "pilots of 300 questions."
)


@dataclass(frozen=True, kw_only=True)
class Line:
    """One study's effect in one cell, and the prediction interval that it is read against."""

    cell: str
    study: str
    style: str
    estimate: float
    low: float
    high: float
    approximate: bool
    predicted: tuple[float, float] | None


def replication_forest(rows: Sequence[ReplicationRow]) -> Figure | None:
    """One panel per claim; None where no pair of studies has effects."""
    claims = {
        (row.hypothesis, row.scale): _lines(rows, row.hypothesis, row.scale)
        for row in rows
        if row.id == "E14" and row.scale in UNITS
    }
    drawn = {key: lines for key, lines in claims.items() if lines}
    if not drawn:
        return None
    panels = tuple(_panel(name, scale, lines) for (name, scale), lines in drawn.items())
    data: list[list[Value]] = []
    for (name, _), lines in drawn.items():
        for line in lines:
            own: list[Value] = [name, line.cell, line.study, line.estimate, line.low, line.high]
            data.append([*own, *(line.predicted or (None, None))])
    return Figure(
        name="replication_forest",
        plan_ids=("E14",),
        title="Original, replication and this run",
        caption=CAPTION,
        exploratory=True,
        panels=panels,
        columns=(
            *("hypothesis", "cell", "study", "estimate", "ci_low", "ci_high"),
            *("predicted_low", "predicted_high"),
        ),
        rows=data,
        legend=(
            ("swatch-z26", "Z26, the original"),
            ("swatch-r26", "R26, the first replication"),
            ("swatch-ours", "this run"),
        ),
    )


def _lines(rows: Sequence[ReplicationRow], hypothesis: str, scale: str) -> list[Line]:
    """Each study once per cell, in file order, originals before what replicates them."""
    about = [
        row for row in rows if (row.id, row.hypothesis, row.scale) == ("E14", hypothesis, scale)
    ]
    predicted: dict[tuple[str, str], tuple[float, float]] = {}
    for row in about:
        matched = row.quantity == "replication_in_prediction_interval" and row.design == "matched"
        if matched and row.ci_low is not None and row.ci_high is not None:
            predicted.setdefault((row.cell, row.replication), (row.ci_low, row.ci_high))
    found: dict[tuple[str, str], Line] = {}
    for role in ("original", "replication"):
        for row in about:
            if row.quantity != f"{role}_effect":
                continue
            study = row.original if role == "original" else row.replication
            if row.estimate is None or row.ci_low is None or row.ci_high is None:
                continue
            found.setdefault(
                (row.cell, study),
                Line(
                    cell=row.cell,
                    study=study,
                    style=_style(study),
                    estimate=row.estimate,
                    low=row.ci_low,
                    high=row.ci_high,
                    approximate=row.basis == "approximation",
                    predicted=predicted.get((row.cell, study)),
                ),
            )
    cells = list(dict.fromkeys(row.cell for row in about))
    return sorted(found.values(), key=lambda line: (cells.index(line.cell), line.study == THIS_RUN))


def _style(study: str) -> str:
    if study == THIS_RUN:
        return "ours exploratory"
    source = "z26" if study.startswith("z26") else "r26"
    return source if "full" in study or source == "r26" else f"{source} pilot"


def _short(study: str) -> str:
    """The source, and that it is a pilot."""
    source = study.partition("-")[0].upper()
    return f"{source} pilot" if "pilot" in _style(study) else source


def _panel(hypothesis: str, scale_name: str, lines: Sequence[Line]) -> Markup:
    cells = list(dict.fromkeys(line.cell for line in lines))
    height = 34.0 + STEP * (len(lines) + len(cells)) + 44
    places = 1 if scale_name == "accuracy_gap_pp" else 3
    spoken = "; ".join(
        f"{line.cell}, {line.study}: {text.plain(line.estimate, places)} "
        f"[{text.plain(line.low, places)}, {text.plain(line.high, places)}]"
        for line in lines
    )
    canvas = Canvas(WIDTH, height, f"{hypothesis}: {spoken}.")
    ends = [end for line in lines for end in (line.low, line.high, *(line.predicted or ()))]
    margin = 0.06 * (max(*ends, 0.0) - min(*ends, 0.0)) or 1.0
    scale = Scale(min(*ends, 0.0) - margin, max(*ends, 0.0) + margin, LEFT, RIGHT)
    canvas.text(4.0, 16.0, hypothesis, "label strong")
    y, bottom = 34.0, 34.0 + STEP * (len(lines) + len(cells))
    canvas.line(scale(0.0), 26.0, scale(0.0), bottom, "reference")
    shown = ""
    for line in lines:
        if line.cell != shown:
            canvas.text(4.0, y + 4, line.cell, "label muted")
            shown, y = line.cell, y + STEP
        _draw(canvas, scale, line, y)
        y += STEP
    for tick in scale.ticks(5):
        canvas.line(scale(tick), bottom, scale(tick), bottom + 4, "axis")
        canvas.text(scale(tick), bottom + 16, tick_label(tick), "tick", "middle")
    canvas.line(LEFT, bottom, RIGHT, bottom, "axis")
    canvas.text((LEFT + RIGHT) / 2, bottom + 34, UNITS[scale_name], "axis-title", "middle")
    return canvas.markup()


def _draw(canvas: Canvas, scale: Scale, line: Line, y: float) -> None:
    ours = line.study == THIS_RUN
    canvas.text(12.0, y + 4, line.study if ours else _short(line.study), "label")
    if line.predicted is not None:
        low, high = (scale(end) for end in line.predicted)
        canvas.add("rect", x=low, y=y - 9, width=high - low, height=18.0, cls="band")
    style = "ours bar" if ours else f"published {line.style}"
    dashed = " approximate" if line.approximate else ""
    canvas.line(scale(line.low), y, scale(line.high), y, f"{style}{dashed}")
    if ours:
        canvas.circle(scale(line.estimate), y, 4.5, "ours exploratory dot")
    else:
        canvas.mark(scale(line.estimate), y, line.style)
