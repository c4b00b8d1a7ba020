"""The seven tables of R26's order, filled from one run.

Main effect, decomposition of the dissociation, protocol dependence, scalar against shape, length
and truncation, learned filter, cost.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Final

from cot_entropy.base.files import write_text
from cot_entropy.plan.entries.variants import Factor, Variants
from cot_entropy.report import text
from cot_entropy.report.figure import TABLES, csv_text
from cot_entropy.report.inputs import ReportInputs
from cot_entropy.report.paper.columns import LAYOUTS, Column, Layout
from cot_entropy.report.paper.latex import latex_table
from cot_entropy.stats.read_tables import Row
from cot_entropy.stats.variants import QUANTITIES

FOLDER: Final = f"{TABLES}/paper"
"""Below results/<study>/."""
SECTION: Final = "section.tex"
"""All tables after one another."""
SCRIPTED: Final = "SCRIPTED ENGINE: no model answered, nothing here is a result. "
DEPENDENCE: Final = "3_protocol_dependence"

Lookup = Mapping[tuple[str, str, str], Row]


@dataclass(frozen=True, kw_only=True)
class PaperTable:
    """One table as text; `caption` says all that a reader needs."""

    name: str
    title: str
    caption: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]

    @property
    def csv_path(self) -> str:
        """Its data, relative to the report."""
        return f"{FOLDER}/{self.name}.csv"

    @property
    def latex_path(self) -> str:
        """Its LaTeX, relative to the report."""
        return f"{FOLDER}/{self.name}.tex"


def paper_tables(inputs: ReportInputs) -> tuple[PaperTable, ...]:
    """The tables in order; the third only where variants were run."""
    rows: Lookup = {
        (row.id, row.cell, row.quantity or estimand): row
        for row in (*inputs.estimates, *inputs.verdicts)
        for estimand in [_estimands(inputs).get(row.id, "")]
    }
    tables = [_by_cell(inputs, layout, rows) for layout in LAYOUTS]
    dependence = _dependence(inputs)
    return tuple(sorted([*tables, *dependence], key=lambda table: table.name))


def write_paper(tables: Sequence[PaperTable], results: Path) -> None:
    """Write each table as CSV and LaTeX, and all of them as one section to paste."""
    made = {}
    for table in tables:
        latex = latex_table(
            columns=table.columns, rows=table.rows, caption=table.caption, label=table.name
        )
        made[table.csv_path] = csv_text(table.columns, table.rows)
        made[table.latex_path] = latex
    made[f"{FOLDER}/{SECTION}"] = "% needs \\usepackage{booktabs}\n" + "\n".join(
        made[table.latex_path] for table in tables
    )
    for path, content in made.items():
        write_text(results / path, content)
    for stale in (results / FOLDER).glob("*"):
        if f"{FOLDER}/{stale.name}" not in made:
            stale.unlink()


def _estimands(inputs: ReportInputs) -> dict[str, str]:
    return {one.id: one.estimand for one in inputs.plan.plan.hypotheses}


def _caption(inputs: ReportInputs, title: str, note: str, *, exploratory: bool) -> str:
    """Title, what the numbers are, and what they are not."""
    stand_in = SCRIPTED if inputs.scripted else ""
    kind = "Exploratory. " if exploratory else ""
    return f"{stand_in}{title}. {kind}{note}"


def _by_cell(inputs: ReportInputs, layout: Layout, rows: Lookup) -> PaperTable:
    return PaperTable(
        name=layout.name,
        title=layout.title,
        caption=_caption(inputs, layout.title, layout.note, exploratory=layout.exploratory),
        columns=("Cell", *(column.header for column in layout.columns)),
        rows=tuple(
            (cell, *(_value(column, cell, rows) for column in layout.columns))
            for cell in inputs.cells
        ),
    )


def _value(column: Column, cell: str, rows: Lookup) -> str:
    found = (rows.get((name, cell, column.quantity)) for name in column.ids)
    row = next((one for one in found if one is not None), None)
    if row is None:
        return "–"
    estimate = None if row.estimate is None else column.times * row.estimate
    shown = {
        "estimate": text.plain(estimate, column.places),
        "interval": text.interval(row, column.places),
        "p": text.p_value(row.p_value),
        "verdict": row.verdict,
        "kind": row.kind,
        "n": text.count(row.n),
    }
    return shown[column.show] or "–"


def _dependence(inputs: ReportInputs) -> Iterator[PaperTable]:
    rows = [row for row in inputs.estimates if row.variant and row.difference is not None]
    entries = [one for one in inputs.plan.plan.exploratory if isinstance(one, Variants)]
    if not rows or not entries:
        return
    title = "Protocol dependence: what one changed factor moves"
    note = (
        "Each registered variant less the study's own protocol, on the same questions: the least, "
        "median and greatest difference over the cells, and in how many cells its interval leaves "
        "out 0. Spread: the median standard deviation between decoding runs."
    )
    yield PaperTable(
        name=DEPENDENCE,
        title=title,
        caption=_caption(inputs, title, note, exploratory=True),
        columns=(
            *("Factor", "Variant", "Quantity", "Cells"),
            *("Least", "Median", "Greatest", "Leave out 0", "Spread"),
        ),
        rows=tuple(
            line
            for entry in entries
            for factor in entry.params.factors
            for line in _factor_lines(factor, [row for row in rows if row.id == entry.id])
        ),
    )


def _factor_lines(factor: Factor, rows: Sequence[Row]) -> Iterator[tuple[str, ...]]:
    stem = QUANTITIES[factor.quantity][0]
    places = text.decimals(stem)
    for name in factor.variants:
        found = [row for row in rows if row.quantity == f"{stem}[{name}]"]
        moved = [row.difference for row in found if row.difference is not None]
        if not moved:
            continue
        decided = [
            row
            for row in found
            if row.difference_low is not None
            and row.difference_high is not None
            and (row.difference_low > 0 or row.difference_high < 0)
        ]
        spreads = [row.between_seed_sd for row in found if row.between_seed_sd is not None]
        yield (
            factor.factor.replace("_", " "),
            name.replace("_", " "),
            stem.removesuffix("_pp").replace("_", " "),
            str(len(moved)),
            *(text.signed(pick(moved), places) for pick in (min, median, max)),
            str(len(decided)),
            text.plain(median(spreads) if spreads else None, places),
        )
