"""A figure of the report: a drawing, its caption, the plan entry it answers, and its data."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from markupsafe import Markup

from cot_entropy.base.files import write_text

Value = str | int | float | bool | None

TABLES: Final = "tables"
"""Folder of the figures' data below results/<study>/."""


@dataclass(frozen=True, kw_only=True)
class Figure:
    """Panels under one caption; `columns` and `rows` are the data behind them."""

    name: str
    """Names the CSV file: letters, digits, `-`, `_`."""
    plan_ids: tuple[str, ...]
    title: str
    caption: str
    exploratory: bool
    panels: tuple[Markup, ...]
    columns: tuple[str, ...]
    rows: Sequence[Sequence[Value]]
    legend: tuple[tuple[str, str], ...] = ()
    """(class of the swatch, what it means)."""

    @property
    def csv_path(self) -> str:
        """The data's path, relative to the report."""
        return f"{TABLES}/{self.name}.csv"


def write_data(figures: Sequence[Figure], results: Path) -> None:
    """Write each figure's data as CSV below `tables/`, and remove those of earlier figures."""
    for figure in figures:
        write_text(results / figure.csv_path, csv_text(figure.columns, figure.rows))
    kept = {Path(figure.csv_path).name for figure in figures}
    for path in (results / TABLES).glob("*.csv"):
        if path.name not in kept:
            path.unlink()


def csv_text(columns: Sequence[str], rows: Sequence[Sequence[Value]]) -> str:
    """Rows as CSV with a header line; raises ValueError on NaN or infinity."""
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows([[_field(value) for value in row] for row in rows])
    return stream.getvalue()


def _field(value: Value) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        if value - value != 0:
            raise ValueError("NaN or infinity in a figure's data; leave undefined values out")
        return repr(value + 0.0)
    return str(value)
