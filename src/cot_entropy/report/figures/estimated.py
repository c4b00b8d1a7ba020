"""Figures drawn from `estimates.csv` alone.

A figure shows all quantities of one stem, one panel per cell (`specs` names the stems).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup

from cot_entropy.report.figure import Figure, Value
from cot_entropy.report.figures.panels import (
    Interval,
    Point,
    Series,
    interval_panel,
    line_panel,
    span,
)
from cot_entropy.report.figures.specs import SPECS, Spec
from cot_entropy.stats.read_tables import Row


@dataclass(frozen=True)
class Named:
    """An estimate with its quantity taken apart."""

    label: str
    row: Row


def estimated_figures(estimator: str, plan_id: str, rows: Sequence[Row]) -> tuple[Figure, ...]:
    """The figures of one entry that have at least one number."""
    figures = (_figure(spec, plan_id, rows) for spec in SPECS.get(estimator, ()))
    return tuple(figure for figure in figures if figure is not None)


def _figure(spec: Spec, plan_id: str, rows: Sequence[Row]) -> Figure | None:
    by_cell: dict[str, list[Named]] = {}
    for row in rows:
        label = spec.label(row.quantity)
        if label is not None and row.estimate is not None:
            by_cell.setdefault(row.cell, []).append(Named(label, row))
    if not by_cell:
        return None
    chosen = [named.row for found in by_cell.values() for named in found]
    values = [v for row in chosen for v in (row.estimate, row.ci_low, row.ci_high)]
    limits = span(values, *(() if spec.reference is None else (spec.reference,)))
    draw = _intervals if spec.kind == "intervals" else _lines
    panels = [draw(spec, cell, found, limits) for cell, found in by_cell.items()]
    columns = ("id", "cell", "quantity", "estimate", "ci_low", "ci_high", "n", "reason")
    data: list[list[Value]] = [
        [r.id, r.cell, r.quantity, r.estimate, r.ci_low, r.ci_high, r.n, r.reason] for r in chosen
    ]
    return Figure(
        name=f"{plan_id.lower()}_{spec.stem}",
        plan_ids=(plan_id,),
        title=spec.title,
        caption=spec.note or "Estimate and 95 % interval where the run gives one.",
        exploratory=True,
        panels=tuple(panels),
        columns=columns,
        rows=data,
    )


def _intervals(
    spec: Spec, cell: str, found: Sequence[Named], limits: tuple[float, float]
) -> Markup:
    return interval_panel(
        cell,
        [
            Interval(
                label=_spoken(spec, named),
                estimate=named.row.estimate,
                low=named.row.ci_low,
                high=named.row.ci_high,
            )
            for named in found
        ],
        x=limits,
        reference=spec.reference,
        unit=spec.unit,
    )


def _spoken(spec: Spec, named: Named) -> str:
    label = named.label.replace("_", " ")
    word = named.row.reason.partition(":")[0] if spec.says == "label_and_reason" else ""
    return f"{label}: {word}" if word else label


def _lines(spec: Spec, cell: str, found: Sequence[Named], limits: tuple[float, float]) -> Markup:
    points = [
        Point(x, named.row.estimate, named.row.ci_low, named.row.ci_high)
        for named in found
        if named.row.estimate is not None and (x := _position(named.label)) is not None
    ]
    return line_panel(
        cell,
        [Series(name=spec.title, cls="s0", points=points)],
        x=span([point.x for point in points]),
        y=limits,
        x_label=spec.x_label,
        y_label=spec.unit,
        reference=spec.reference,
    )


def _position(label: str) -> float | None:
    """The number in a label such as `eps=0.01` or `first 2`; None for one such as `all`."""
    match = re.search(r"\d+(?:\.\d+)?", label)
    return float(match[0]) if match else None
