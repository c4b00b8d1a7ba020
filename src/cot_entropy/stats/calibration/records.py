"""Dataclass rows as a table, numbers in the form of the analysis's tables."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import fields
from pathlib import Path
from typing import Any

from cot_entropy.stats.tables import write_csv


def write_records(path: Path, records: Iterable[Any], kind: type) -> None:
    """Write dataclass instances of one kind, header first, atomically."""
    columns = [field.name for field in fields(kind)]
    write_csv(path, columns, ([getattr(one, name) for name in columns] for one in records))
