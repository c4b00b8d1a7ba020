"""`verdicts.csv` and `estimates.csv`: contract 4 of the design, numbers in one canonical form."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from cot_entropy.files import write_text
from cot_entropy.stats.rows import Estimate

NUMBERS: Final = ("estimate", "ci_low", "ci_high", "p_value", "p_holm", "n", "n_monotone")
VERDICT_COLUMNS: Final = (
    *("id", "cell", "kind", *NUMBERS, "n_correct", "verdict", "reason"),
    *("plan_sha256", "trajectories_sha256", "deviations"),
)
ESTIMATE_COLUMNS: Final = ("id", "cell", "quantity", *VERDICT_COLUMNS[2:])
VARIANT_COLUMNS: Final = (
    *(*ESTIMATE_COLUMNS, "variant"),
    *("difference", "difference_low", "difference_high", "between_seed_sd"),
)


def write_table(
    path: Path,
    rows: Sequence[Estimate],
    *,
    columns: Sequence[str],
    plan_sha256: str,
    trajectories_sha256: Mapping[str, str],
) -> None:
    """Write rows as CSV, atomically. Raises ValueError on NaN or infinity, naming the row."""
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(columns)
    for row in rows:
        fields = {
            "plan_sha256": plan_sha256,
            "trajectories_sha256": trajectories_sha256.get(row.cell, ""),
            **vars(row),
        }
        writer.writerow([_text(fields[column], row, column) for column in columns])
    write_text(path, stream.getvalue())


def _text(value: object, row: Estimate, column: str) -> str:
    """Shortest text that reads back as the same number; 0.0 for -0.0; empty for None."""
    if value is None:
        return ""
    if not isinstance(value, float):
        return str(value)
    if not math.isfinite(value):
        raise ValueError(f"{row.id} {row.cell} {row.quantity}: {column} is {value}")
    return repr(value + 0.0)
