"""Two kinds of panels for simulations: dots on one line per rule, and a grid of settings."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup

from cot_entropy.report import text
from cot_entropy.report.svg import Canvas, Scale, tick_label

WIDTH = 300.0
LINE = 36.0
"""Pixels per line of dots."""
LEFT = 40.0
ROW = 22.0
"""Pixels per row of a grid."""


@dataclass(frozen=True)
class Dot:
    """One simulated setting; a miss has a shape of its own, not only a colour."""

    value: float
    misses: bool


@dataclass(frozen=True, kw_only=True)
class Strip:
    """One rule: its name, a note in words, and a dot per setting."""

    label: str
    note: str
    dots: Sequence[Dot]
    emphasis: bool = False


@dataclass(frozen=True, kw_only=True)
class Square:
    """One setting of a grid; `effect` is its true value, where it has one."""

    n: int
    accuracy: float
    flag_rate: float | None
    effect: float | None
    text: str
    misses: bool = False
    shade: float = 0.0
    """From 0, no colour, to 1."""

    @property
    def column(self) -> float:
        """What the columns are: shares of monotone chains, or numbers of chains."""
        return self.n if self.flag_rate is None else self.flag_rate

    @property
    def panel(self) -> str:
        """What the other settings of its panel share with it."""
        effect = "" if self.effect is None else f" = {text.compact(round(self.effect, 3) + 0.0)}"
        return effect + ("" if self.flag_rate is None else f", n = {self.n:,}")


def strip_panel(
    title: str, strips: Sequence[Strip], *, x: tuple[float, float], reference: float, unit: str
) -> Markup:
    """Dots of all settings below each other by rule, the nominal value dashed."""
    spoken = "; ".join(f"{one.label}: {one.note}" for one in strips)
    bottom = 22.0 + LINE * len(strips)
    canvas = Canvas(WIDTH, bottom + 38, f"{title}, {unit}. {spoken}.")
    canvas.text(4.0, 14.0, title, "label strong")
    scale = Scale(*x, 10.0, WIDTH - 10)
    for tick in scale.ticks(5):
        canvas.line(scale(tick), 24.0, scale(tick), bottom, "grid")
        canvas.text(scale(tick), bottom + 15, tick_label(tick), "tick", "middle")
    canvas.line(scale(reference), 24.0, scale(reference), bottom, "reference")
    canvas.text(scale.end, bottom + 31, unit, "axis-title", "end")
    for index, one in enumerate(strips):
        top = 22.0 + LINE * index
        named = f"{one.label}: {one.note}"
        canvas.text(4.0, top + 13, named, "label strong" if one.emphasis else "label")
        for dot in sorted(one.dots, key=lambda dot: dot.misses):
            at, y = scale(dot.value), top + 25
            if dot.misses:
                canvas.path([(at - 5, y + 4), (at, y - 5), (at + 5, y + 4)], "miss", close=True)
            else:
                canvas.circle(at, y, 3.5, "setting")
    return canvas.markup()


def grid_panels(title: str, squares: Sequence[Square], *, unit: str) -> list[Markup]:
    """A grid per true value, and per number of chains where the columns are shares."""
    return [
        _grid(title + panel, [one for one in squares if one.panel == panel], unit)
        for panel in dict.fromkeys(one.panel for one in squares)
    ]


def _grid(title: str, squares: Sequence[Square], unit: str) -> Markup:
    """Settings as a table of squares; a missing setting is left blank, a miss outlined."""
    row_title = "accuracy"
    shares = any(one.flag_rate is not None for one in squares)
    column_title = "share of monotone chains" if shares else "chains"
    rows = sorted({one.accuracy for one in squares}, reverse=True)
    columns = sorted({one.column for one in squares})
    step = min((WIDTH - LEFT - 4) / max(len(columns), 1), 60.0)
    spoken = "; ".join(
        f"{tick_label(one.accuracy)}, {tick_label(one.column)}: {one.text}"
        + (" misses" if one.misses else "")
        for one in squares
    )
    bottom = 40.0 + ROW * len(rows)
    label = f"{title}: {unit} by {row_title} and {column_title}. {spoken}."
    canvas = Canvas(WIDTH, bottom + 36, label)
    canvas.text(4.0, 14.0, title, "label strong")
    canvas.text(4.0, 32.0, row_title, "axis-title")
    for index, value in enumerate(rows):
        y = 40.0 + ROW * (index + 0.5) + 4
        canvas.text(LEFT - 6, y, tick_label(value), "tick", "end")
    for index, value in enumerate(columns):
        x = LEFT + step * (index + 0.5)
        canvas.text(x, bottom + 15, tick_label(value), "tick", "middle")
    canvas.text(LEFT + step * len(columns), bottom + 31, column_title, "axis-title", "end")
    for one in squares:
        left, top = LEFT + step * columns.index(one.column), 40.0 + ROW * rows.index(one.accuracy)
        kinds = [("square miss" if one.misses else "square", 1.0)]
        if one.shade:
            kinds.append(("shade", 0.45 * one.shade))
        for kind, opacity in kinds:
            canvas.add(
                "rect",
                x=left + 1,
                y=top + 1,
                width=step - 2,
                height=ROW - 2,
                cls=kind,
                fill_opacity=opacity,
            )
        mark = "tick value strong" if one.misses else "tick value"
        canvas.text(left + step / 2, top + ROW / 2 + 4, one.text, mark, "middle")
    return canvas.markup()
