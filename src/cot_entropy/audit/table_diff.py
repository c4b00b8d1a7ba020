"""Tables by their content: two are the same where every row and value is, whatever the bytes.

Text, counts, flags and missing values must be equal; floats may differ by `RELATIVE_TOLERANCE`,
which other releases of numpy, scipy or a BLAS use up in their last digits.
"""

from __future__ import annotations

import csv
import math
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import pyarrow as pa
import pyarrow.parquet as pq

from cot_entropy.base.errors import DataError

RELATIVE_TOLERANCE: Final = 1e-6
ABSOLUTE_TOLERANCE: Final = 1e-12
KEYS: Final = ("id", "cell", "quantity", "question_id", "extraction", "equivalence", "source")
"""Columns that name a row, where a table has them."""
MAX_FIELD: Final = 1_000_000

Value = Any
"""A cell: None, bool, int, float, str, or a list of them."""


@dataclass(frozen=True)
class Table:
    """Rows under named columns, in order."""

    columns: tuple[str, ...]
    rows: tuple[tuple[Value, ...], ...]

    def keyed(self) -> dict[str, dict[str, Value]]:
        """The rows by what names them; a repeated name is numbered."""
        named = [index for index, column in enumerate(self.columns) if column in KEYS]
        seen: Counter[str] = Counter()
        result: dict[str, dict[str, Value]] = {}
        for row in self.rows:
            key = " ".join(str(row[index]) for index in named if row[index] not in (None, ""))
            seen[key] += 1
            name = key if seen[key] == 1 else f"{key} #{seen[key]}"
            result[name] = dict(zip(self.columns, row, strict=True))
        return result


@dataclass(frozen=True, kw_only=True)
class CellDifference:
    """One value that differs, or a row or column that only one table has (then value None)."""

    row: str
    column: str
    first: Value
    second: Value

    @property
    def relative(self) -> float | None:
        """|a - b| / max(|a|, |b|) of two numbers; None where either is no number."""
        if not (_is_number(self.first) and _is_number(self.second)):
            return None
        largest = max(abs(self.first), abs(self.second))
        return abs(self.first - self.second) / largest if largest else 0.0

    def __str__(self) -> str:
        if not self.column:
            return (
                f"row {self.row} stands in the {'second' if self.first is None else 'first'} only"
            )
        relative = self.relative
        ratio = f" (relative {relative:.2g})" if relative is not None else ""
        where = f"{self.row}: {self.column}".strip(": ")
        return f"{where}: {_shown(self.first)} v {_shown(self.second)}{ratio}"


def read_csv(path: Path) -> Table:
    """Read a CSV table; raises DataError naming file and line."""
    csv.field_size_limit(MAX_FIELD)
    try:
        with path.open(encoding="utf-8", newline="") as stream:
            reader = csv.reader(stream, strict=True)
            columns = tuple(next(reader, ()))
            rows = []
            for row in reader:
                if len(row) != len(columns):
                    raise DataError(
                        f"{path}:{reader.line_num}: {len(row)} fields under {len(columns)} columns"
                    )
                rows.append(tuple(_value(text) for text in row))
    except FileNotFoundError:
        raise DataError(f"{path}: no such file") from None
    except (csv.Error, UnicodeDecodeError) as error:
        raise DataError(f"{path}: not a CSV table ({error})") from None
    return Table(columns, tuple(rows))


def read_parquet(path: Path) -> Table:
    """Read a Parquet table; raises DataError naming the file."""
    try:
        table = pq.read_table(path)
    except (OSError, pa.ArrowException) as error:
        raise DataError(f"{path}: not a readable Parquet file ({error})") from None
    columns = tuple(table.column_names)
    values = [table[name].to_pylist() for name in columns]
    return Table(columns, tuple(zip(*values, strict=True)))


def differences(first: Table, second: Table) -> Iterator[CellDifference]:
    """Every difference between two tables: columns, rows, values, and the order of the rows."""
    for column in sorted(set(first.columns) ^ set(second.columns)):
        yield CellDifference(
            row="",
            column=column,
            first="column" if column in first.columns else None,
            second="column" if column in second.columns else None,
        )
    ours, theirs = first.keyed(), second.keyed()
    for name in [*ours, *(name for name in theirs if name not in ours)]:
        if name not in ours or name not in theirs:
            yield CellDifference(
                row=name,
                column="",
                first="row" if name in ours else None,
                second="row" if name in theirs else None,
            )
            continue
        yield from _row_differences(name, ours[name], theirs[name])
    if list(ours) != list(theirs) and ours.keys() == theirs.keys():
        moved = next(a for a, b in zip(ours, theirs, strict=True) if a != b)
        yield CellDifference(row=moved, column="order of rows", first="here", second="elsewhere")


def same(first: Value, second: Value) -> bool:
    """Whether two values are the same: floats within the tolerance, all else exactly."""
    if isinstance(first, list | tuple) and isinstance(second, list | tuple):
        return len(first) == len(second) and all(map(same, first, second))
    if isinstance(first, float) or isinstance(second, float):
        return (
            _is_number(first)
            and _is_number(second)
            and math.isclose(first, second, rel_tol=RELATIVE_TOLERANCE, abs_tol=ABSOLUTE_TOLERANCE)
        )
    return type(first) is type(second) and bool(first == second)


def _row_differences(
    name: str, ours: dict[str, Value], theirs: dict[str, Value]
) -> Iterator[CellDifference]:
    for column in ours.keys() & theirs.keys():
        if not same(ours[column], theirs[column]):
            yield CellDifference(row=name, column=column, first=ours[column], second=theirs[column])


def _value(text: str) -> Value:
    if text == "":
        return None
    for kind in (int, float):
        try:
            number = kind(text)
        except ValueError:
            continue
        return number if math.isfinite(number) else text
    return text


def _is_number(value: Value) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _shown(value: Value) -> str:
    if value is None:
        return "none"
    text = repr(value) if isinstance(value, float | str) else str(value)
    return text if len(text) <= 80 else f"{text[:77]}..."


def summary(found: Sequence[CellDifference], *, shown: int = 3) -> str:
    """The first differences in one line, and how many more there are."""
    more = f"; and {len(found) - shown} more" if len(found) > shown else ""
    return "; ".join(map(str, found[:shown])) + more
