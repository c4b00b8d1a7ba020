"""Accuracy at 0, 1, 2 and 3 or more violations, one panel per cell (Z26's dose response)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from markupsafe import Markup

from cot_entropy.report import text
from cot_entropy.report.figure import Figure, Value
from cot_entropy.report.published import BY_VIOLATIONS, Published
from cot_entropy.report.svg import Canvas, panel
from cot_entropy.stats.read_tables import Row

GROUPS: Final = ("0", "1", "2", "3_or_more")


def by_violations(
    rows: Sequence[Row], *, plan_ids: tuple[str, ...], published: Sequence[Published] = ()
) -> Figure | None:
    """One panel per cell from the rows `accuracy_at_<count>_violations`; None without any.

    Published percentages of the same cell and count are marked beside ours.
    """
    by_cell: dict[str, dict[str, Row]] = {}
    for row in rows:
        for group in GROUPS:
            if row.quantity == f"accuracy_at_{group}_violations":
                by_cell.setdefault(row.cell, {})[group] = row
    if not by_cell:
        return None
    panels = []
    marks = [mark for mark in published if mark.quantity in BY_VIOLATIONS]
    for cell, found in by_cell.items():
        here = [mark for mark in marks if mark.cell == cell]
        panels.append(_panel(cell, found, here))
    data: list[list[Value]] = [
        [cell, group, row.n, row.estimate, row.ci_low, row.ci_high]
        for cell, found in by_cell.items()
        for group, row in found.items()
    ]
    shown = {mark.style: mark.label for mark in marks if mark.cell in by_cell}
    legend = [("swatch-ours", "accuracy, with its interval")]
    legend += [(f"swatch-{style.replace(' ', '-')}", label) for style, label in shown.items()]
    return Figure(
        name="accuracy_by_violations",
        plan_ids=plan_ids,
        title="Accuracy by violation count",
        caption=(
            "Share of right answers among chains with 0, 1, 2 and 3 or more violations; the number "
            "of chains stands above each mark. Descriptive: the test is the rank correlation."
        ),
        exploratory=all(row.kind == "exploratory" for row in rows),
        panels=tuple(panels),
        columns=("cell", "violations", "n", "accuracy", "ci_low", "ci_high"),
        rows=data,
        legend=tuple(legend),
    )


def _panel(cell: str, found: Mapping[str, Row], published: Sequence[Published]) -> Markup:
    spoken = "; ".join(
        f"{_count(group)} violations: {text.percent(row.estimate)} of {row.n}"
        for group, row in found.items()
    )
    canvas = Canvas(300.0, 220.0, f"{cell}. Accuracy by violation count. {spoken}.")
    canvas.text(4.0, 14.0, cell, "label strong")
    area = panel(canvas, (-0.5, len(GROUPS) - 0.5), (0.0, 100.0), top=48.0)
    area.axes(x_label="violations", y_label="right, %", x_ticks=[])
    shown = []
    for place, group in enumerate(GROUPS):
        x = area.x(place)
        canvas.text(x, area.y.start + 16, _count(group), "tick", "middle")
        row = found.get(group)
        if row is None or row.estimate is None:
            continue
        y = area.y(100 * row.estimate)
        if row.ci_low is not None and row.ci_high is not None:
            canvas.line(x, area.y(100 * row.ci_low), x, area.y(100 * row.ci_high), "ours bar")
        canvas.circle(x, y, 4.5, "ours dot")
        top = area.y(100 * (row.ci_high if row.ci_high is not None else row.estimate))
        canvas.text(x, top - 6, text.count(row.n), "tick", "middle")
        shown.append((x, y))
        for mark in published:
            if BY_VIOLATIONS[mark.quantity] == group:
                canvas.mark(x + 14, area.y(mark.value), mark.style)
    if len(shown) > 1:
        canvas.path(shown, "ours thread")
    return canvas.markup()


def _count(group: str) -> str:
    return "3+" if group == "3_or_more" else group
