"""`verdicts.csv` and `estimates.csv`: contract 4 of the design, numbers in one canonical form."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Final

from cot_entropy.base.files import write_text
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
    lines = []
    for row in rows:
        fields = {
            "plan_sha256": plan_sha256,
            "trajectories_sha256": trajectories_sha256.get(row.cell, ""),
            **vars(row),
        }
        lines.append([fields[column] for column in columns])
    write_csv(path, columns, lines)


def write_csv(path: Path, columns: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    """Write a table atomically; numbers as the shortest text that reads back as the same number.

    None is empty, a flag `true` or `false`, -0.0 is 0.0. Raises ValueError on NaN or infinity,
    naming the row and column.
    """
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(columns)
    for row in rows:
        for column, value in zip(columns, row, strict=True):
            if isinstance(value, float) and not math.isfinite(value):
                raise ValueError(f"{path.name}: {column} is {value} in {row}")
        writer.writerow([_text(value) for value in row])
    write_text(path, stream.getvalue())


def _text(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(value).lower()
    return repr(value + 0.0) if isinstance(value, float) else str(value)
