"""Dataclass rows as CSV, numbers in the form of the analysis's tables."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Sequence
from dataclasses import fields
from pathlib import Path
from typing import Any

from cot_entropy.files import write_text


def write_records(path: Path, records: Sequence[Any], kind: type) -> None:
    """Write dataclass instances of one kind, header first, atomically.

    Raises ValueError on NaN or infinity, naming the column.
    """
    columns = [field.name for field in fields(kind)]
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows([_text(getattr(one, column), column) for column in columns] for one in records)
    write_text(path, stream.getvalue())


def _text(value: object, column: str) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(value).lower()
    if not isinstance(value, float):
        return str(value)
    if not math.isfinite(value):
        raise ValueError(f"{column} is {value}")
    return repr(value + 0.0)
