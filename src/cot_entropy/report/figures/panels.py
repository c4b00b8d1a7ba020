"""Two kinds of small panels, one per cell: labelled intervals, and lines with bands."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from markupsafe import Markup

from cot_entropy.report import text
from cot_entropy.report.svg import Canvas, Scale, panel, tick_label

WIDTH = 300.0
STEP = 20.0
STACKED = 36.0
LONGEST = 26
"""Characters of a label that fit beside a plot; with a longer one all stand above their lines."""

STYLES = 12
"""Line styles that the sheet has: pairs of a colour and a dash."""


def line_style(index: int) -> str:
    """The class of the line with this number; they repeat after `STYLES`."""
    return f"s{index % STYLES}"


@dataclass(frozen=True, kw_only=True)
class Interval:
    """A labelled estimate with its interval, if it has one."""

    label: str
    estimate: float | None
    low: float | None = None
    high: float | None = None
    emphasis: bool = False


@dataclass(frozen=True)
class Point:
    """A point of a line, with its interval, if it has one."""

    x: float
    y: float
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True, kw_only=True)
class Series:
    """A line: its name, the class that styles it, and what is drawn of it."""

    name: str
    cls: str
    points: Sequence[Point]
    dots: bool = True
    faint: Sequence[Sequence[Point]] = field(default_factory=tuple)
    """Single cases behind the line."""
    extension: Sequence[Point] = field(default_factory=tuple)
    """A dotted stretch that no data reach."""


def span(values: Sequence[float | None], *also: float, margin: float = 0.05) -> tuple[float, float]:
    """A range that holds all values, with a margin; (0, 1) where there are none."""
    known = [value for value in (*values, *also) if value is not None]
    if not known:
        return 0.0, 1.0
    low, high = min(known), max(known)
    pad = margin * (high - low) or 0.5 * abs(high) or 0.5
    return low - pad, high + pad


def interval_panel(
    title: str,
    intervals: Sequence[Interval],
    *,
    x: tuple[float, float],
    reference: float | None,
    unit: str,
    places: int = 3,
) -> Markup:
    """Intervals below each other: label left, estimate as a number right, threshold dashed."""
    spoken = "; ".join(f"{one.label} {text.plain(one.estimate, places)}" for one in intervals)
    longest = max((len(one.label) for one in intervals), default=0)
    stacked = longest > LONGEST
    step = STACKED if stacked else STEP
    bottom = 26.0 + step * len(intervals)
    canvas = Canvas(WIDTH, bottom + 44, f"{title}, {unit}. {spoken}.")
    canvas.text(4.0, 14.0, title, "label strong")
    left = 12.0 if stacked else 6.3 * longest + 14
    scale = Scale(*x, left, WIDTH - 12)
    for tick in scale.ticks(3):
        canvas.line(scale(tick), 24.0, scale(tick), bottom, "grid")
        canvas.text(scale(tick), bottom + 15, tick_label(tick), "tick", "middle")
    if reference is not None and x[0] <= reference <= x[1]:
        canvas.line(scale(reference), 24.0, scale(reference), bottom, "reference")
    canvas.text(scale.end, bottom + 31, unit, "axis-title", "end")
    for index, one in enumerate(intervals):
        y = 26.0 + step * (index + 0.5)
        style = "tick strong" if one.emphasis else "tick"
        if stacked:
            y += 9.0
            canvas.text(4.0, y - 12, one.label, f"label {style}")
        else:
            canvas.text(left - 8, y + 4, one.label, style, "end")
        if one.estimate is None:
            canvas.text(left, y + 4, "not defined", "tick")
            continue
        if one.low is not None and one.high is not None:
            canvas.line(scale(one.low), y, scale(one.high), y, "ours bar")
        canvas.circle(scale(one.estimate), y, 4.0, "ours dot")
    return canvas.markup()


def line_panel(
    title: str,
    series: Sequence[Series],
    *,
    x: tuple[float, float],
    y: tuple[float, float],
    x_label: str,
    y_label: str,
    reference: float | None = None,
    shaded_from: float | None = None,
) -> Markup:
    """Lines over a common grid; faint single cases first, bands next, lines and dots on top."""
    spoken = "; ".join(_ends(one) for one in series if one.points)
    canvas = Canvas(WIDTH, 230.0, f"{title}: {y_label} by {x_label}. {spoken}.")
    canvas.text(4.0, 14.0, title, "label strong")
    area = panel(canvas, x, y, top=44.0, left=44.0)
    if shaded_from is not None:
        left = area.x(shaded_from)
        width, height = area.x.end - left, area.y.start - area.y.end
        canvas.add("rect", x=left, y=area.y.end, width=width, height=height, cls="band")
    area.axes(x_label=x_label, y_label=y_label)
    if reference is not None and y[0] <= reference <= y[1]:
        canvas.line(area.x.start, area.y(reference), area.x.end, area.y(reference), "reference")
    for one in series:
        for case in one.faint:
            canvas.path([(area.x(p.x), area.y(p.y)) for p in case], f"faint {one.cls}")
    for one in series:
        banded = [p for p in one.points if p.low is not None and p.high is not None]
        if len(banded) > 1:
            upper = [(area.x(p.x), area.y(p.high or 0.0)) for p in banded]
            lower = [(area.x(p.x), area.y(p.low or 0.0)) for p in reversed(banded)]
            canvas.path(upper + lower, f"spread {one.cls}", close=True)
    for one in series:
        if len(one.points) > 1:
            canvas.path([(area.x(p.x), area.y(p.y)) for p in one.points], f"curve {one.cls}")
        if one.extension:
            canvas.path([(area.x(p.x), area.y(p.y)) for p in one.extension], f"extension {one.cls}")
        for point in one.points if one.dots else ():
            canvas.circle(area.x(point.x), area.y(point.y), 3.0, f"point {one.cls}")
    return canvas.markup()


def _ends(one: Series) -> str:
    first, last = one.points[0], one.points[-1]
    return (
        f"{one.name} from {text.compact(first.y)} at {text.compact(first.x)} "
        f"to {text.compact(last.y)} at {text.compact(last.x)}"
    )
