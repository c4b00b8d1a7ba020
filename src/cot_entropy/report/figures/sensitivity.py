"""How far a cell's gap rests on the grader: every extraction rule by every equivalence."""

from __future__ import annotations

from collections.abc import Sequence

from cot_entropy.report.figure import Figure
from cot_entropy.report.figures.panels import Interval, interval_panel, span
from cot_entropy.stats.read_tables import Table, number


def sensitivity_figure(tables: Sequence[Table]) -> Figure | None:
    """One panel per cell's `sensitivity.csv`; the registered grader is in bold; None without."""
    panels, rows = [], []
    gaps = {id(table): _gaps(table) for table in tables}
    limits = span([gap for found in gaps.values() for gap in found], 0.0)
    for table in tables:
        if not table.rows:
            continue
        columns = (table.column(name) for name in ("extraction", "equivalence", "registered"))
        graders = zip(*columns, gaps[id(table)], strict=True)
        panels.append(
            interval_panel(
                table.column("cell")[0],
                [
                    Interval(
                        label=f"{extraction}, {_short(equivalence)}",
                        estimate=gap,
                        emphasis=registered.lower() == "true",
                    )
                    for extraction, equivalence, registered, gap in graders
                ],
                x=limits,
                reference=0.0,
                unit="gap, percentage points",
                places=1,
            )
        )
        rows += [list(row) for row in table.rows]
    if not panels:
        return None
    return Figure(
        name="sensitivity",
        plan_ids=("H1", "E13"),
        title="The gap under every grader",
        caption=(
            "Accuracy gap of monotone over other chains when stored completions are read by every "
            "extraction rule and compared by every equivalence; the registered pair is in bold. "
            "Accuracy and flag rate of each stand in the table."
        ),
        exploratory=True,
        panels=tuple(panels),
        columns=tables[0].columns,
        rows=rows,
    )


def _gaps(table: Table) -> list[float | None]:
    return [
        number(value, f"sensitivity.csv:{line}: column `accuracy_gap_pp`")
        for line, value in enumerate(table.column("accuracy_gap_pp"), start=2)
    ]


def _short(equivalence: str) -> str:
    return {"normalised": "norm.", "by_value": "value"}.get(equivalence, equivalence)
