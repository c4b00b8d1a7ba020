"""Dataclass rows as a table and back, numbers in the form of the analysis's tables."""

from __future__ import annotations

import csv
import math
from collections.abc import Iterable
from dataclasses import fields
from pathlib import Path
from typing import Any, TypeVar

from pydantic import TypeAdapter, ValidationError

from cot_entropy.base.errors import DataError
from cot_entropy.base.strict import describe
from cot_entropy.stats.tables import write_csv

R = TypeVar("R")


def write_records(path: Path, records: Iterable[Any], kind: type) -> None:
    """Write dataclass instances of one kind, header first, atomically."""
    columns = _columns(kind)
    write_csv(path, columns, ([getattr(one, name) for name in columns] for one in records))


def read_records(path: Path, kind: type[R]) -> list[R]:
    """Read what `write_records` wrote; raises DataError naming file and line."""
    with path.open(newline="", encoding="utf-8") as stream:
        reader = csv.DictReader(stream)
        if reader.fieldnames != _columns(kind):
            columns = ", ".join(_columns(kind))
            raise DataError(f"{path}: line 1: the columns are not {columns}; calibrate again")
        adapter = TypeAdapter(kind)
        records = []
        for row in reader:
            values = {name: None if text == "" else text for name, text in row.items()}
            try:
                record = adapter.validate_python(values)
            except ValidationError as error:
                where = f"{path}: line {reader.line_num}"
                raise DataError(f"{where}: {describe(error)}; calibrate again") from None
            for name in _columns(kind):
                value = getattr(record, name)
                if isinstance(value, float) and not math.isfinite(value):
                    where = f"{path}: line {reader.line_num}"
                    raise DataError(f"{where}: {name}: {value} is not finite; calibrate again")
            records.append(record)
        return records


def _columns(kind: type) -> list[str]:
    return [field.name for field in fields(kind)]
