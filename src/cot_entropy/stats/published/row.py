"""One line of `comparison.csv`, and the file."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Sequence
from dataclasses import astuple, dataclass, fields
from pathlib import Path
from typing import Final

from cot_entropy.base.files import write_text
from cot_entropy.stats.published.model import Outcome
from cot_entropy.stats.rows import Kind, Verdict


@dataclass(frozen=True, kw_only=True)
class Comparison:
    """One published figure and ours beside it; None where undefined, the notes say why."""

    matched: str = ""
    """What of the published design is the registered one's: `model, dataset, size, protocol`."""
    source: str = ""
    """The paper."""
    version: str = ""
    """Its version, where only that one prints the figure."""
    study: str = ""
    """Its study of the cell."""
    cell: str
    """`model/dataset`; a model, or `all`, for a figure over several cells."""
    quantity: str
    """What was published."""
    published: float | None = None
    """The printed figure."""
    published_to: float | None = None
    """Upper end, where the paper prints a range."""
    published_ci_low: float | None = None
    """Lower end of its interval, from counts that fit the print."""
    published_ci_high: float | None = None
    """Upper end."""
    published_n: int | None = None
    """Questions behind it."""
    published_note: str = ""
    """What is to be known about it."""
    check: Outcome | None = None
    """Whether it follows from the paper's other figures."""
    implied_low: float | None = None
    """Least value that the paper's counts allow."""
    implied_high: float | None = None
    """Greatest value."""
    check_note: str = ""
    """How it was checked."""
    id: str = ""
    """The plan's entry of our number."""
    ours: float | None = None
    """Our number."""
    ours_ci_low: float | None = None
    """Lower end of its interval."""
    ours_ci_high: float | None = None
    """Upper end."""
    ours_n: int | None = None
    """Questions behind it."""
    ours_kind: Kind | None = None
    """Whether it is confirmatory."""
    ours_verdict: Verdict | None = None
    """The verdict on it."""
    difference: float | None = None
    """Ours less the published one."""
    difference_ci_low: float | None = None
    """Lower end of its interval."""
    difference_ci_high: float | None = None
    """Upper end."""
    difference_note: str = ""
    """Why it is missing."""


COLUMNS: Final = tuple(field.name for field in fields(Comparison))


def write_comparison(path: Path, rows: Sequence[Comparison]) -> None:
    """Write the rows as CSV, atomically. Raises ValueError on NaN or infinity, naming the row."""
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(COLUMNS)
    for row in rows:
        for column, value in zip(COLUMNS, astuple(row), strict=True):
            if isinstance(value, float) and not math.isfinite(value):
                raise ValueError(f"{row.study} {row.cell} {row.quantity}: {column} is {value}")
        writer.writerow(["" if value is None else value for value in astuple(row)])
    write_text(path, stream.getvalue())
