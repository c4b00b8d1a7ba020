"""Numbers in a grid, shaded by size: a judge's confusion matrix, and its rates by cell."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from markupsafe import Markup

from cot_entropy.report import text
from cot_entropy.report.figure import Figure, Value
from cot_entropy.report.judges import Judge, RateCell
from cot_entropy.report.svg import Canvas
from cot_entropy.stats.read_tables import Table

WIDTH: Final = 46.0
HEIGHT: Final = 24.0
LETTER: Final = 6.4
"""Pixels of a letter at most, for the room that names need."""
DARKEST: Final = 0.6

NOTE: Final = "Consistency is not faithfulness: a consistent chain may still be made up afterwards."


@dataclass(frozen=True)
class Square:
    """One number of a grid as it is written, and how dark its square is, 0 to 1."""

    shown: str
    shade: float


def heat_map(
    title: str, names: Sequence[str], columns: Sequence[str], squares: Sequence[Sequence[Square]]
) -> Markup:
    """A grid with row names left and column names slanted above; every number is written."""
    left = 12.0 + LETTER * max((len(name) for name in names), default=0)
    slanted = 0.75 * LETTER * max((len(name) for name in columns), default=0)
    top = 30.0 + slanted
    spoken = "; ".join(
        f"{name}: " + ", ".join(f"{c} {s.shown}" for c, s in zip(columns, row, strict=True))
        for name, row in zip(names, squares, strict=True)
    )
    canvas = Canvas(
        left + WIDTH * len(columns) + slanted + 8,
        top + HEIGHT * len(names) + 8,
        f"{title}. {spoken}.",
    )
    canvas.text(4.0, 14.0, title, "label strong")
    for index, name in enumerate(columns):
        x, y = left + WIDTH * (index + 0.35), top - 6
        canvas.add(
            "text", x=x, y=y, cls="tick", transform=f"rotate(-45 {x:.1f} {y:.1f})", text=name
        )
    for line, (name, row) in enumerate(zip(names, squares, strict=True)):
        y = top + HEIGHT * line
        canvas.text(left - 8, y + HEIGHT / 2 + 4, name, "tick", "end")
        for index, square in enumerate(row):
            x = left + WIDTH * index
            box: dict[str, Any] = {"x": x + 1, "y": y + 1, "width": WIDTH - 2, "height": HEIGHT - 2}
            canvas.add("rect", **box, cls="square")
            if square.shade > 0:
                opacity = round(DARKEST * square.shade, 3)
                canvas.add("rect", **box, cls="shade", fill_opacity=opacity)
            canvas.text(x + WIDTH / 2, y + HEIGHT / 2 + 4, square.shown, "value", "middle")
    return canvas.markup()


def confusion_figure(judge: Judge) -> Figure | None:
    """Labelled outcome by given outcome, shaded within each row; None where never validated."""
    table = judge.confusion
    if table is None or not table.rows:
        return None
    return Figure(
        name=f"confusion_{text.slug(judge.name)}",
        plan_ids=("E11",),
        title=f"The benchmark as judge {judge.name} sees it",
        caption=(
            "Clear items: a row is what they are, a column what the judge said. The diagonal is "
            f"right. Shaded by the share of the row. {NOTE}"
        ),
        exploratory=True,
        panels=(_confusion(table),),
        columns=table.columns,
        rows=[list(row) for row in table.rows],
    )


def _confusion(table: Table) -> Markup:
    squares = []
    for row in table.rows:
        counts = [int(value) for value in row[1:]]
        total = max(sum(counts), 1)
        squares.append([Square(str(count) if count else "", count / total) for count in counts])
    names = [row[0].replace("_", " ") for row in table.rows]
    return heat_map(
        "labelled by given", names, [name.replace("_", " ") for name in table.columns[1:]], squares
    )


def rates_figure(judge: Judge) -> Figure | None:
    """Raw rates by cell and subtype, shaded up to the highest; None where none is defined."""
    cells = [one for one in judge.map if any(rate is not None for rate in one.rates.values())]
    if not cells:
        return None
    quantities = list(cells[0].rates)
    highest = max(rate for one in cells for rate in one.rates.values() if rate is not None) or 1.0
    return Figure(
        name=f"inconsistency_{text.slug(judge.name)}",
        plan_ids=("E11",),
        title=f"Where judge {judge.name} finds inconsistency",
        caption=(
            "Raw shares of the decided chains in percent, by cell and subtype; intervals stand in "
            f"the tables below. {NOTE}"
        ),
        exploratory=True,
        panels=(
            heat_map(
                "% of decided chains",
                [f"{one.name} (n {one.decided})" for one in cells],
                [name.replace("_", " ") for name in quantities],
                [[_square(one.rates[name], highest) for name in quantities] for one in cells],
            ),
        ),
        columns=("cell", "decided", *quantities),
        rows=[_row(one, quantities) for one in cells],
    )


def _square(rate: float | None, highest: float) -> Square:
    return Square("–", 0.0) if rate is None else Square(text.plain(100 * rate, 1), rate / highest)


def _row(cell: RateCell, quantities: Sequence[str]) -> list[Value]:
    return [cell.name, cell.decided, *(cell.rates[name] for name in quantities)]
