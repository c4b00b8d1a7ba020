"""Risk-coverage curves of the signals, tied questions as one point, ranges marked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from cot_entropy.plan.exploratory import Signal
from cot_entropy.report.figure import Figure, Value
from cot_entropy.report.figures.panels import Point, Series, line_panel, line_style
from cot_entropy.stats.cells import Cell
from cot_entropy.stats.explore.risk_coverage import CurvePoint, risk_coverage_curve
from cot_entropy.stats.explore.signals import scores

DOTTED: Final = 12
"""A curve of at most this many tie groups shows each as a dot."""
SETTLED: Final = 0.1
"""The risk axis ends at the highest risk from this coverage on: the first few answers are noise."""
DRAWN: Final = 120
"""Points drawn of a longer curve; the CSV file holds all."""


def risk_curves(cells: Mapping[str, Cell], signals: Sequence[Signal], *, plan_id: str) -> Figure:
    """One panel per cell; the shaded range is the one that every signal of the cell reaches."""
    found = {
        name: {
            signal: risk_coverage_curve(scores(cell, signal), cell.correct) for signal in signals
        }
        for name, cell in cells.items()
    }
    highest = max(
        (
            point.risk
            for curves in found.values()
            for curve in curves.values()
            for point in curve
            if point.coverage >= SETTLED
        ),
        default=1.0,
    )
    panels, data = [], []
    for name, curves in found.items():
        shared = max((curve[0].coverage for curve in curves.values() if curve), default=None)
        panels.append(
            line_panel(
                name,
                [
                    _series(signal, curve, index)
                    for index, (signal, curve) in enumerate(curves.items())
                ],
                x=(0.0, 1.0),
                y=(0.0, max(highest, 0.05) * 1.05),
                x_label="coverage",
                y_label="risk: wrong among answered",
                shaded_from=shared,
            )
        )
        for signal, curve in curves.items():
            data += [_row(name, signal, point) for point in curve]
    return Figure(
        name="risk_coverage",
        plan_ids=(plan_id,),
        title="Risk by coverage",
        caption=(
            "Risk among the answers given when the least trusted are withheld. Tied questions are "
            "one point, so a curve begins at its first achievable coverage; dots mark curves of at "
            f"most {DOTTED} points. Dotted: the first risk held down to coverage 0. Shaded: the "
            "range that every signal reaches. The areas over all three ranges stand in the table."
        ),
        exploratory=True,
        panels=tuple(panels),
        columns=("cell", "signal", "threshold", "coverage", "risk", "generalised_risk"),
        rows=data,
        legend=tuple(
            (f"line {line_style(index)}", signal.replace("_", " "))
            for index, signal in enumerate(signals)
        ),
    )


def _series(signal: Signal, curve: Sequence[CurvePoint], index: int) -> Series:
    if not curve:
        return Series(name=signal.replace("_", " "), cls=line_style(index), points=())
    every = max(1, -(-len(curve) // DRAWN))
    drawn = [*curve[:-1:every], *curve[-1:]]
    return Series(
        name=signal.replace("_", " "),
        cls=line_style(index),
        points=[Point(p.coverage, p.risk) for p in drawn],
        dots=len(curve) <= DOTTED,
        extension=[Point(0.0, curve[0].risk), Point(curve[0].coverage, curve[0].risk)],
    )


def _row(cell: str, signal: Signal, point: CurvePoint) -> list[Value]:
    return [cell, signal, point.threshold, point.coverage, point.risk, point.generalised_risk]
