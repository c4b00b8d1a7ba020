"""Accuracy at 0, 1, 2 and 3 or more violations, one panel per cell (Z26's dose response)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np
from statsmodels.stats.proportion import proportion_confint

from cot_entropy.report import text
from cot_entropy.report.figure import Figure, Value
from cot_entropy.report.svg import Canvas, panel
from cot_entropy.stats.cells import Cell

MOST: Final = 3
PUBLISHED: Final = {0: 0.688, 1: 0.508, 2: 0.286}
"""Z26 version 1, Qwen2.5-7B on 300 GSM8K questions; not matched to this design."""


@dataclass(frozen=True, kw_only=True)
class Group:
    """Questions with the same number of violations (the last group: that many or more)."""

    violations: int
    n: int
    correct: int
    ci_low: float | None
    ci_high: float | None

    @property
    def accuracy(self) -> float | None:
        """Share of right answers, None in an empty group."""
        return self.correct / self.n if self.n else None


def groups(cell: Cell, *, level: float) -> tuple[Group, ...]:
    """Accuracy by violation count, with Wilson intervals (statsmodels)."""
    counts = np.minimum(cell.violations, MOST)
    found = []
    for violations in range(MOST + 1):
        chosen = counts == violations
        n, correct = int(chosen.sum()), int(cell.correct[chosen].sum())
        low, high = None, None
        if n:
            low, high = proportion_confint(correct, n, alpha=1 - level, method="wilson")
            low, high = float(low), float(high)
        found.append(Group(violations=violations, n=n, correct=correct, ci_low=low, ci_high=high))
    return tuple(found)


def by_violations(cells: Mapping[str, Cell], *, level: float) -> Figure:
    """One panel per cell; Z26's figures stand in the cells of its model and dataset."""
    data: list[list[Value]] = []
    panels = []
    for name, cell in cells.items():
        found = groups(cell, level=level)
        published = PUBLISHED if name == "qwen2.5-7b/gsm8k" else {}
        panels.append(_panel(name, found, published).markup())
        data += [
            [name, g.violations, g.n, g.correct, g.accuracy, g.ci_low, g.ci_high] for g in found
        ]
    legend = [("swatch-ours", f"accuracy, {100 * level:g} % Wilson interval")]
    if "qwen2.5-7b/gsm8k" in cells:
        legend.append(("swatch-z26", "published, Z26 version 1 (300 questions)"))
    return Figure(
        name="accuracy_by_violations",
        plan_ids=("H3", "H4b"),
        title="Accuracy by violation count",
        caption=(
            "Share of right answers among chains with 0, 1, 2 and 3 or more violations; the number "
            "of chains stands above each mark. Descriptive: the registered test is the rank "
            "correlation above."
        ),
        exploratory=False,
        panels=tuple(panels),
        columns=("cell", "violations", "n", "n_correct", "accuracy", "ci_low", "ci_high"),
        rows=data,
        legend=tuple(legend),
    )


def _panel(name: str, found: tuple[Group, ...], published: Mapping[int, float]) -> Canvas:
    spoken = "; ".join(
        f"{_count(g.violations)} violations: {text.percent(g.accuracy)} of {g.n}" for g in found
    )
    canvas = Canvas(300.0, 220.0, f"{name}. Accuracy by violation count. {spoken}.")
    canvas.text(4.0, 14.0, name, "label strong")
    area = panel(canvas, (-0.5, MOST + 0.5), (0.0, 100.0), top=48.0)
    area.axes(x_label="violations", y_label="right, %", x_ticks=[])
    shown = []
    for group in found:
        x = area.x(group.violations)
        canvas.text(x, area.y.start + 16, _count(group.violations), "tick", "middle")
        if group.accuracy is None or group.ci_low is None or group.ci_high is None:
            continue
        y = area.y(100 * group.accuracy)
        high = area.y(100 * group.ci_high)
        canvas.line(x, area.y(100 * group.ci_low), x, high, "ours bar")
        canvas.circle(x, y, 4.5, "ours dot")
        canvas.text(x, high - 6, f"{group.n:,}", "tick", "middle")
        shown.append((x, y))
    if len(shown) > 1:
        canvas.path(shown, "ours thread")
    for violations, value in published.items():
        canvas.diamond(area.x(violations) + 12, area.y(100 * value), 5, "published z26")
    return canvas


def _count(violations: int) -> str:
    return f"{violations}+" if violations == MOST else str(violations)
