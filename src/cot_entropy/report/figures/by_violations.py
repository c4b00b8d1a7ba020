"""Accuracy at 0, 1, 2 and 3 or more violations, one panel per cell (Z26's dose response)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from markupsafe import Markup

from cot_entropy.report import text
from cot_entropy.report.figure import Figure, Value
from cot_entropy.report.rows import Row
from cot_entropy.report.svg import Canvas, panel

GROUPS: Final = ("0", "1", "2", "3_or_more")
PUBLISHED_CELL: Final = "qwen2.5-7b/gsm8k"
PUBLISHED: Final = {"0": 0.688, "1": 0.508, "2": 0.286}
"""Z26 version 1, the pilot of 300 GSM8K questions; not matched to this design."""


def by_violations(rows: Sequence[Row], *, plan_ids: tuple[str, ...]) -> Figure | None:
    """One panel per cell from the rows `accuracy_at_<count>_violations`; None without any."""
    by_cell: dict[str, dict[str, Row]] = {}
    for row in rows:
        for group in GROUPS:
            if row.quantity == f"accuracy_at_{group}_violations":
                by_cell.setdefault(row.cell, {})[group] = row
    if not by_cell:
        return None
    panels = []
    for cell, found in by_cell.items():
        published = PUBLISHED if cell == PUBLISHED_CELL else {}
        panels.append(_panel(cell, found, published))
    data: list[list[Value]] = [
        [cell, group, row.n, row.estimate, row.ci_low, row.ci_high]
        for cell, found in by_cell.items()
        for group, row in found.items()
    ]
    legend = [("swatch-ours", "accuracy, with its interval")]
    if PUBLISHED_CELL in by_cell:
        legend.append(("swatch-z26", "published, Z26 version 1 (300 questions)"))
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


def _panel(cell: str, found: Mapping[str, Row], published: Mapping[str, float]) -> Markup:
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
        if group in published:
            canvas.diamond(x + 12, area.y(100 * published[group]), 5, "published z26")
    if len(shown) > 1:
        canvas.path(shown, "ours thread")
    return canvas.markup()


def _count(group: str) -> str:
    return "3+" if group == "3_or_more" else group
