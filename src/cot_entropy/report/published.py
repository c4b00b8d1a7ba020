"""Published values from `comparison.csv`, as marks for the forest plots."""

from __future__ import annotations

from cot_entropy.report.figures.forest import Published
from cot_entropy.report.rows import Table, number


def published_marks(table: Table | None, quantity: str) -> tuple[Published, ...]:
    """The published values of one quantity; none where the run has no comparison."""
    if table is None:
        return ()
    columns = zip(
        *(table.column(name) for name in ("source", "cell", "quantity", "published")), strict=True
    )
    marks = []
    for line, (source, cell, name, value) in enumerate(columns, start=2):
        published = number(value, f"comparison.csv:{line}: column `published`")
        if name == quantity and published is not None:
            marks.append(Published(source=source, cell=cell, quantity=name, value=published))
    return tuple(marks)
