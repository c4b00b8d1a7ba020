"""Entropy trajectories: the mean and single chains, by outcome, one panel per cell."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import numpy as np
from scipy.stats import norm

from cot_entropy.report.figure import Figure, Value
from cot_entropy.report.figures.panels import Point, Series, line_panel
from cot_entropy.stats.cells import Cell, Flags, Values

SINGLE: Final = 25
"""Single chains drawn per outcome: the first ones in question order."""
FEWEST: Final = 10
"""A mean over fewer chains is not drawn."""
OUTCOMES: Final = (("right", "right"), ("wrong", "wrong"))


def trajectories(cells: Mapping[str, Cell], *, level: float) -> Figure:
    """Mean H_k with a normal interval of the mean, and the first single chains behind it."""
    widest = max(cell.entropies.shape[1] for cell in cells.values()) - 1
    highest = max(
        (float(np.nanmax(c.entropies)) for c in cells.values() if c.entropies.size), default=1.0
    )
    panels, data = [], []
    for name, cell in cells.items():
        series = []
        for outcome, cls in OUTCOMES:
            chosen = cell.correct if outcome == "right" else ~cell.correct
            points, rows = _mean(cell, chosen, level=level)
            data += [[name, outcome, *row] for row in rows]
            faint = [_single(row) for row in cell.entropies[chosen][:SINGLE]]
            series.append(
                Series(name=outcome, cls=cls, points=points, faint=[f for f in faint if f])
            )
        panels.append(
            line_panel(
                name,
                series,
                x=(0.0, float(max(widest, 1))),
                y=(0.0, max(highest, 0.1) * 1.04),
                x_label="prefix k",
                y_label="H_k, nats",
            )
        )
    return Figure(
        name="trajectories",
        plan_ids=("H1", "H3"),
        title="Entropy trajectories by outcome",
        caption=(
            f"Mean entropy after each prefix, with its {100 * level:g} % interval, over chains "
            f"that have that many units (drawn from {FEWEST} chains on); thin lines are the first "
            f"{SINGLE} single chains of each outcome. Later prefixes hold longer chains only. "
            "Descriptive."
        ),
        exploratory=True,
        panels=tuple(panels),
        columns=("cell", "outcome", "k", "n", "mean_entropy_nats", "ci_low", "ci_high"),
        rows=data,
        legend=(("swatch-right", "right"), ("swatch-wrong", "wrong")),
    )


def _mean(cell: Cell, chosen: Flags, *, level: float) -> tuple[list[Point], list[list[Value]]]:
    points, rows = [], []
    z = float(norm.ppf((1 + level) / 2))
    for k in range(cell.entropies.shape[1]):
        values = cell.entropies[chosen, k]
        values = values[~np.isnan(values)]
        if len(values) < FEWEST:
            continue
        mean = float(values.mean())
        half = z * float(values.std(ddof=1)) / len(values) ** 0.5
        points.append(Point(float(k), mean, max(mean - half, 0.0), mean + half))
        rows.append([k, len(values), mean, mean - half, mean + half])
    return points, rows


def _single(entropies: Values) -> list[Point]:
    return [Point(float(k), float(h)) for k, h in enumerate(entropies) if not np.isnan(h)]
