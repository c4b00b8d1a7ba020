"""What the registered sizes can decide: power, and the smallest gap that a cell can detect."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields
from itertools import product

from markupsafe import Markup

from cot_entropy.report.figure import Figure
from cot_entropy.report.figures.calibration import Family
from cot_entropy.report.figures.panels import Point, Series, line_panel, line_style
from cot_entropy.report.figures.simulated_panels import Square, grid_panels
from cot_entropy.stats.calibration.power import DetectableRow, PowerRow

GAP = "accuracy_gap_pp"
WANTED = 0.8
LARGE = 50.0
"""A smallest gap of so many points is as good as none."""


def power_curves(known: Sequence[Family], rows: Sequence[PowerRow]) -> Figure | None:
    """H1's power over the true gap: a panel per size and accuracy, a line per flag rate."""
    ids = _ids(known, GAP)
    chosen = [row for row in rows if (row.estimand, row.verdict) == (GAP, "supported")]
    if not ids or not chosen:
        return None
    rates = sorted({row.flag_rate for row in chosen if row.flag_rate is not None})
    widest = max(row.effect for row in chosen)
    panels = []
    for n, accuracy in dict.fromkeys((row.n, row.accuracy) for row in chosen):
        mine = [row for row in chosen if (row.n, row.accuracy) == (n, accuracy)]
        panels.append(
            line_panel(
                f"n = {n:,}, accuracy {accuracy:g}",
                [
                    Series(
                        name=f"share of monotone chains {rate:g}",
                        cls=line_style(index),
                        points=[
                            Point(row.effect, row.power) for row in mine if row.flag_rate == rate
                        ],
                        dots=False,
                    )
                    for index, rate in enumerate(rates)
                ],
                x=(0.0, widest),
                y=(0.0, 1.0),
                x_label="true gap, percentage points",
                y_label="power",
                reference=WANTED,
            )
        )
    return Figure(
        name="power_gap",
        plan_ids=ids,
        title="Power to support a gap",
        caption=(
            "Probability that the rule supports, given group sizes and true accuracies, exact, "
            "p-value unadjusted (Holm's last step; the first stands in the data). Dashed: 80 %. "
            "A line ends where no larger gap is possible; a share without a line leaves a group "
            "that is too small to assess."
        ),
        exploratory=False,
        panels=tuple(panels),
        columns=tuple(field.name for field in fields(PowerRow)),
        rows=[[getattr(row, field.name) for field in fields(PowerRow)] for row in chosen],
        legend=tuple(
            (f"line {line_style(index)}", f"{rate:g} of the chains monotone")
            for index, rate in enumerate(rates)
        ),
    )


def power_grids(known: Sequence[Family], rows: Sequence[PowerRow]) -> Figure | None:
    """Power of the other hypotheses, simulated: a panel per true value."""
    families = {one.estimand: one for one in known if one.estimand != GAP}
    chosen = [row for row in rows if row.estimand in families]
    if not chosen:
        return None
    panels: list[Markup] = []
    for (estimand, family), verdict in product(families.items(), ("supported", "refuted")):
        squares = [
            Square(
                n=row.n,
                accuracy=row.accuracy,
                flag_rate=row.flag_rate,
                effect=row.effect,
                text=f"{100 * row.power:.0f}",
                shade=row.power,
            )
            for row in chosen
            if (row.estimand, row.verdict) == (estimand, verdict)
        ]
        panels += grid_panels(
            f"{', '.join(family.ids)} {verdict}: truth", squares, unit="power in percent"
        )
    return Figure(
        name="power_others",
        plan_ids=tuple(name for one in families.values() for name in one.ids),
        title="Power of the other hypotheses",
        caption=(
            "Percent of simulated studies in which the rule gives the right verdict at a true "
            "value, p-value unadjusted (Holm's first step stands in the data); darker is more."
        ),
        exploratory=False,
        panels=tuple(panels),
        columns=tuple(field.name for field in fields(PowerRow)),
        rows=[[getattr(row, field.name) for field in fields(PowerRow)] for row in chosen],
    )


def detectable_grids(known: Sequence[Family], rows: Sequence[DetectableRow]) -> Figure | None:
    """The smallest detectable gap by accuracy and share of monotone chains, a panel per size."""
    ids = _ids(known, GAP)
    if not ids or not rows:
        return None
    squares = [
        Square(
            n=row.n,
            accuracy=row.accuracy,
            flag_rate=row.flag_rate,
            effect=None,
            text="–" if row.gap_pp is None else f"{row.gap_pp:.1f}",
            shade=0.0 if row.gap_pp is None else max(0.0, 1 - row.gap_pp / LARGE),
        )
        for row in rows
    ]
    return Figure(
        name="detectable_gap",
        plan_ids=ids,
        title="The smallest detectable gap",
        caption=(
            "Percentage points that a cell of this size detects with 80 % power, p-value "
            "unadjusted; darker is smaller. A dash: no possible gap has that power, or a group is "
            "too small to assess. At Holm's first step the gap must be larger: see the data."
        ),
        exploratory=False,
        panels=tuple(grid_panels("Smallest gap", squares, unit="percentage points")),
        columns=tuple(field.name for field in fields(DetectableRow)),
        rows=[[getattr(row, field.name) for field in fields(DetectableRow)] for row in rows],
    )


def _ids(known: Sequence[Family], estimand: str) -> tuple[str, ...]:
    return next((one.ids for one in known if one.estimand == estimand), ())
