"""Just enough SVG for the report's figures: a canvas, a linear scale, and round ticks.

Figures are vector, deterministic, and styled by class from the page's sheet, so that one figure
serves light, dark and paper.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Final

from markupsafe import Markup, escape

TICK_STEPS: Final = (1.0, 2.0, 2.5, 5.0, 10.0)


@dataclass(frozen=True)
class Scale:
    """Maps data `low..high` onto pixels `start..end`."""

    low: float
    high: float
    start: float
    end: float

    def __call__(self, value: float) -> float:
        """The pixel of a value; values outside are mapped to the nearer end."""
        inside = min(max(value, self.low), self.high)
        share = (inside - self.low) / (self.high - self.low)
        return self.start + share * (self.end - self.start)

    def ticks(self, about: int = 5) -> list[float]:
        """Round values from low to high, about this many."""
        raw = (self.high - self.low) / max(about, 1)
        magnitude = 10.0 ** math.floor(math.log10(raw))
        step = next(s * magnitude for s in TICK_STEPS if s * magnitude >= raw * (1 - 1e-9))
        first = math.ceil(self.low / step - 1e-9)
        last = math.floor(self.high / step + 1e-9)
        return [round(index * step, 12) + 0.0 for index in range(first, last + 1)]


def tick_label(value: float) -> str:
    """A tick's label, with a real minus sign."""
    return f"{value:g}".replace("-", "−")


@dataclass
class Canvas:
    """Collects the elements of one figure; every text is escaped."""

    width: float
    height: float
    label: str
    """What a screen reader says instead of the drawing."""
    elements: list[Markup] = field(default_factory=list)

    def add(self, name: str, *, text: str | None = None, **attributes: object) -> None:
        """Append one element; `cls` is its class, `_` in a name becomes `-`."""
        pairs = []
        for key, value in attributes.items():
            attribute = {"cls": "class"}.get(key, key.replace("_", "-"))
            shown = f"{value:.2f}".rstrip("0").rstrip(".") if isinstance(value, float) else value
            pairs.append(Markup('{}="{}"').format(Markup(attribute), shown))  # noqa: S704
        start = Markup("<{} {}").format(Markup(name), Markup(" ").join(pairs))  # noqa: S704
        if text is None:
            self.elements.append(start + Markup("/>"))
        else:
            close = Markup("</{}>").format(Markup(name))  # noqa: S704
            self.elements.append(start + Markup(">") + escape(text) + close)

    def line(self, x1: float, y1: float, x2: float, y2: float, cls: str) -> None:
        """A straight line."""
        self.add("line", x1=x1, y1=y1, x2=x2, y2=y2, cls=cls)

    def text(self, x: float, y: float, text: str, cls: str = "", anchor: str = "start") -> None:
        """One line of text; `anchor` is start, middle or end."""
        self.add("text", x=x, y=y, text_anchor=anchor, cls=cls or "label", text=text)

    def circle(self, x: float, y: float, r: float, cls: str) -> None:
        """A dot."""
        self.add("circle", cx=x, cy=y, r=r, cls=cls)

    def path(self, points: list[tuple[float, float]], cls: str, *, close: bool = False) -> None:
        """A polyline through points, or a polygon where closed."""
        steps = " L".join(f"{x:.1f} {y:.1f}" for x, y in points)
        self.add("path", d=f"M{steps}{'Z' if close else ''}", cls=cls)

    def mark(self, x: float, y: float, style: str, r: float = 5.0) -> None:
        """A published value: a diamond for Z26, a square for any other source."""
        if style.startswith("z26"):
            corners = [(x - r - 1, y), (x, y - r - 1), (x + r + 1, y), (x, y + r + 1)]
        else:
            corners = [(x - r, y - r), (x + r, y - r), (x + r, y + r), (x - r, y + r)]
        self.path(corners, f"published {style}", close=True)

    def markup(self) -> Markup:
        """The drawing as an inline `<svg>` element."""
        return Markup(
            '<svg viewBox="0 0 {} {}" width="{}" height="{}" role="img" aria-label="{}">{}</svg>'
        ).format(
            *(f"{size:g}" for size in (self.width, self.height) * 2),
            self.label,
            Markup("").join(self.elements),
        )


@dataclass(frozen=True)
class Panel:
    """A plot area with axes inside a canvas."""

    canvas: Canvas
    x: Scale
    y: Scale

    def axes(self, *, x_label: str, y_label: str, x_ticks: list[float] | None = None) -> None:
        """Draw grid, ticks and axis titles; the y axis is read from the grid's labels."""
        canvas, left, right = self.canvas, self.x.start, self.x.end
        for tick in self.y.ticks(4):
            canvas.line(left, self.y(tick), right, self.y(tick), "grid")
            canvas.text(left - 6, self.y(tick) + 4, tick_label(tick), "tick", "end")
        for tick in self.x.ticks(5) if x_ticks is None else x_ticks:
            canvas.line(self.x(tick), self.y.start, self.x(tick), self.y.start + 4, "axis")
            canvas.text(self.x(tick), self.y.start + 16, tick_label(tick), "tick", "middle")
        canvas.line(left, self.y.start, right, self.y.start, "axis")
        canvas.text((left + right) / 2, self.y.start + 32, x_label, "axis-title", "middle")
        canvas.text(4.0, self.y.end - 10, y_label, "axis-title")


def panel(
    canvas: Canvas,
    x: tuple[float, float],
    y: tuple[float, float],
    *,
    top: float = 40.0,
    left: float = 40.0,
) -> Panel:
    """A panel that fills the canvas below its heading, with room for axes."""
    return Panel(
        canvas,
        Scale(*x, left, canvas.width - 12.0),
        Scale(*y, canvas.height - 40.0, top),
    )
