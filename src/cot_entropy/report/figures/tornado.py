"""What each variant moves: paired differences from the study's own protocol, largest first."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from cot_entropy.report.figure import Figure, Value
from cot_entropy.report.figures.panels import Interval, interval_panel, span
from cot_entropy.stats.read_tables import Row

QUANTITIES: Final = {
    "accuracy_gap_pp": ("The gap", "difference, percentage points"),
    "flag_rate": ("The share of monotone chains", "difference"),
    "rho_violations": ("Spearman's rho of violations and correctness", "difference"),
    "accuracy": ("Accuracy", "difference, share right"),
    "auroc_final_entropy": ("AUROC of final-step entropy", "difference"),
    "tokens_per_question": ("Tokens per question", "difference, tokens"),
}
"""By the quantity's stem: what moves, and the unit of its difference."""


def tornado_figures(plan_id: str, rows: Sequence[Row]) -> tuple[Figure, ...]:
    """A figure per quantity that has a difference, a panel per cell."""
    figures = (_figure(plan_id, stem, rows) for stem in QUANTITIES)
    return tuple(figure for figure in figures if figure is not None)


def _figure(plan_id: str, stem: str, rows: Sequence[Row]) -> Figure | None:
    chosen = [
        row for row in rows if row.quantity.partition("[")[0] == stem and row.difference is not None
    ]
    if not chosen:
        return None
    what, unit = QUANTITIES[stem]
    ends = [end for row in chosen for end in (row.difference_low, row.difference_high)]
    limits = span([row.difference for row in chosen] + ends, 0.0)
    panels = []
    for cell in dict.fromkeys(row.cell for row in chosen):
        mine = [row for row in chosen if row.cell == cell]
        mine.sort(key=lambda row: -abs(row.difference or 0.0))
        intervals = [
            Interval(
                label=row.variant.replace("_", " "),
                estimate=row.difference,
                low=row.difference_low,
                high=row.difference_high,
            )
            for row in mine
        ]
        panels.append(interval_panel(cell, intervals, x=limits, reference=0.0, unit=unit))
    data: list[list[Value]] = [
        [
            *(row.id, row.cell, row.variant, row.quantity, row.estimate, row.difference),
            *(row.difference_low, row.difference_high, row.between_seed_sd),
        ]
        for row in chosen
    ]
    return Figure(
        name=f"{plan_id.lower()}_tornado_{stem}",
        plan_ids=(plan_id,),
        title=f"{what}: what each variant moves",
        caption=(
            "The variant less the study's own protocol, on the same questions and resamples, "
            "largest first. Intervals describe questions, not decoding runs: the table has the "
            "standard deviation between seeds."
        ),
        exploratory=True,
        panels=tuple(panels),
        columns=(
            *("id", "cell", "variant", "quantity", "estimate", "difference"),
            *("difference_low", "difference_high", "between_seed_sd"),
        ),
        rows=data,
    )
