"""Reads what an analysis wrote: `verdicts.csv`, `estimates.csv` and further tables, checked.

    id,cell,kind,estimate,ci_low,ci_high,p_value,p_holm,n,...,verdict,reason
    H1,qwen2.5-7b/gsm8k,confirmatory,9.6,4.1,15.2,0.0004,0.0012,1319,...,supported,

An empty field is a value that does not exist; a field that is no number is an error with its line.
"""

from __future__ import annotations

import csv
import math
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final, get_args

from pydantic import ConfigDict, TypeAdapter, ValidationError
from pydantic.dataclasses import dataclass as checked_dataclass

from cot_entropy.base.errors import DataError
from cot_entropy.base.strict import describe
from cot_entropy.stats.rows import VariantEstimate, Verdict

VERDICTS: Final[tuple[Verdict, ...]] = get_args(Verdict)


@checked_dataclass(frozen=True, kw_only=True, config=ConfigDict(allow_inf_nan=False))
class Row(VariantEstimate):
    """One row of a results table, with the hashes of what it was computed from."""

    quantity: str = ""
    plan_sha256: str = ""


_ROW: Final = TypeAdapter(Row)


@dataclass(frozen=True)
class Table:
    """A small table as text, in the order of its file: shown as it is."""

    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]

    def column(self, name: str) -> tuple[str, ...]:
        """The values of one column; raises KeyError where there is none."""
        if name not in self.columns:
            raise KeyError(name)
        index = self.columns.index(name)
        return tuple(row[index] for row in self.rows)

    def without(self, name: str) -> Table:
        """The table without one column, itself where there is none of that name."""
        kept = [index for index, column in enumerate(self.columns) if column != name]
        return Table(
            tuple(self.columns[index] for index in kept),
            tuple(tuple(row[index] for index in kept) for row in self.rows),
        )


def read_rows(path: Path) -> tuple[Row, ...]:
    """Read a results table; raises DataError naming file, line and column."""
    return tuple(_row(record, path, line) for line, record in _records(path))


def read_table(path: Path) -> Table:
    """Read any CSV file as text; raises DataError where a line has too many or too few fields."""
    records = [record for _, record in _records(path)]
    columns = tuple(records[0]) if records else ()
    return Table(columns, tuple(tuple(record.values()) for record in records))


def number(text: str, where: str) -> float | None:
    """A finite number, None where the field is empty; raises DataError with `where`."""
    if text == "":
        return None
    try:
        value = float(text)
    except ValueError:
        raise DataError(f"{where}: `{text[:40]}` is not a number") from None
    if not math.isfinite(value):
        raise DataError(f"{where}: `{text[:40]}` is not finite; undefined values are left empty")
    return value


def _records(path: Path) -> Iterator[tuple[int, dict[str, str]]]:
    try:
        with path.open(encoding="utf-8", newline="") as stream:
            reader = csv.reader(stream, strict=True)
            header = next(reader, [])
            for fields in reader:
                if len(fields) != len(header):
                    raise DataError(
                        f"{path}:{reader.line_num}: {len(fields)} fields, not {len(header)}"
                    )
                yield reader.line_num, dict(zip(header, fields, strict=True))
    except FileNotFoundError:
        raise DataError(f"{path}: no such file; run the analysis first") from None
    except (csv.Error, UnicodeDecodeError, OSError) as error:
        raise DataError(f"{path}: not a readable CSV file ({error})") from None


def _row(record: dict[str, str], path: Path, line: int) -> Row:
    try:
        return _ROW.validate_python({name: text for name, text in record.items() if text})
    except ValidationError as error:
        raise DataError(f"{path}:{line}: {describe(error)}") from None
