"""Figures drawn from `estimates.csv` alone: which quantities of which entry, and how.

A quantity reads `stem[label]`; a figure shows all labels of one stem, one panel per cell.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal

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
from cot_entropy.report.rows import Row

QUANTITY: Final = re.compile(r"(?P<stem>[^\[]+)(?:\[(?P<label>.*)\])?")
LONGEST: Final = 25
"""Characters of a label that fit beside a panel."""


@dataclass(frozen=True, kw_only=True)
class Spec:
    """One figure of an entry: its stem, how it is drawn, and what it is read against."""

    stem: str
    kind: Literal["intervals", "lines"]
    title: str
    unit: str
    reference: float | None
    x_label: str = ""
    note: str = ""


SPECS: Final[dict[str, tuple[Spec, ...]]] = {
    "signal_auroc": (
        Spec(
            stem="auroc",
            kind="intervals",
            title="AUROC of each signal",
            unit="AUROC",
            reference=0.5,
            note="A higher score means more likely right; 0.5 is no information.",
        ),
        Spec(
            stem="auroc_difference",
            kind="intervals",
            title="AUROC against the shape flag",
            unit="difference",
            reference=0.0,
            note="Paired differences on the same resamples; right of the line beats the flag.",
        ),
    ),
    "risk_coverage": (
        Spec(
            stem="aurc_shared",
            kind="intervals",
            title="Risk-coverage area over the shared range",
            unit="area, lower is better",
            reference=None,
        ),
    ),
    "coupling": (
        Spec(
            stem="accuracy_gap_pp",
            kind="intervals",
            title="The gap under each outcome",
            unit="percentage points",
            reference=0.0,
        ),
        Spec(
            stem="auroc", kind="intervals", title="AUROC under each outcome", unit="AUROC",
            reference=0.5,
        ),
    ),
    "eps_sweep": (
        Spec(
            stem="accuracy_gap_pp",
            kind="lines",
            title="The gap over the violation threshold",
            unit="gap, points",
            reference=0.0,
            x_label="eps, nats",
            note=(
                "With five answers per prefix H takes seven values, 0.1046 nats apart at least, so "
                "every eps above 0 and below that gives the same flags, which shows no robustness."
            ),
        ),
        Spec(
            stem="flag_rate", kind="lines", title="Share of monotone chains over the threshold",
            unit="share", reference=None, x_label="eps, nats",
        ),
    ),
    "trajectory_budget": (
        Spec(
            stem="accuracy_gap_pp",
            kind="lines",
            title="The gap from the first transitions",
            unit="gap, points",
            reference=0.0,
            x_label="first transitions used",
        ),
        Spec(
            stem="token_share_percent",
            kind="lines",
            title="Tokens of the first transitions",
            unit="% of the tokens",
            reference=None,
            x_label="first transitions used",
        ),
    ),
    "length_adjusted": (
        Spec(
            stem="accuracy_gap_pp", kind="intervals", title="The gap within length strata",
            unit="percentage points", reference=0.0,
        ),
    ),
    "no_answer": (
        Spec(
            stem="accuracy_gap_pp", kind="intervals", title="The gap under each handling",
            unit="percentage points", reference=0.0,
        ),
    ),
    "fewer_samples": (
        Spec(
            stem="accuracy_gap_pp", kind="intervals", title="The gap with fewer completions",
            unit="percentage points", reference=0.0,
        ),
    ),
    "cost": (
        Spec(
            stem="tokens_per_question", kind="intervals", title="Tokens per question",
            unit="tokens", reference=None,
            note="Self-consistency is this run's mean chain, sampled as often as named.",
        ),
    ),
    "token_confidence": (
        Spec(
            stem="ece", kind="lines", title="Calibration error of token confidence by step",
            unit="ECE", reference=None, x_label="prefix k",
        ),
    ),
    "consistency": (
        Spec(
            stem="auroc", kind="intervals", title="AUROC of consistency and entropy",
            unit="AUROC", reference=0.5,
        ),
    ),
    "coherence_map": (
        Spec(
            stem="rho_coherence", kind="intervals", title="Where the magnitude null holds",
            unit="Spearman rho", reference=0.0,
        ),
    ),
    "variants": (
        Spec(
            stem="accuracy_gap_pp", kind="intervals", title="The gap, one protocol block changed",
            unit="percentage points", reference=0.0,
        ),
        Spec(
            stem="accuracy", kind="intervals", title="Accuracy, one protocol block changed",
            unit="share right", reference=None,
        ),
    ),
}  # fmt: skip
"""By the plan's estimator name. An entry without one is shown as a table only."""


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
        match = QUANTITY.fullmatch(row.quantity)
        if match and match["stem"] == spec.stem and row.estimate is not None:
            by_cell.setdefault(row.cell, []).append(Named(match["label"] or "this run", row))
    if not by_cell:
        return None
    chosen = [named.row for found in by_cell.values() for named in found]
    values = [v for row in chosen for v in (row.estimate, row.ci_low, row.ci_high)]
    limits = span(values, *(() if spec.reference is None else (spec.reference,)))
    draw = _intervals if spec.kind == "intervals" else _lines
    panels = [draw(spec, cell, found, limits) for cell, found in by_cell.items()]
    columns = ("id", "cell", "quantity", "estimate", "ci_low", "ci_high", "n")
    data: list[list[Value]] = [
        [r.id, r.cell, r.quantity, r.estimate, r.ci_low, r.ci_high, r.n] for r in chosen
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
                label=_short(named.label),
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


def _short(label: str) -> str:
    plain = label.replace("_", " ")
    return plain if len(plain) <= LONGEST else plain[: LONGEST - 1] + "…"
