"""Rows of the calibration's tables, written and read again."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest

from cot_entropy.base.errors import DataError
from cot_entropy.stats.calibration.records import read_records, write_records


@dataclass(frozen=True, kw_only=True)
class Row:
    name: str
    n: int
    rate: float
    limit: float | None
    within: bool | None


ROWS = [
    Row(name="H1, H4a", n=1319, rate=1 / 3, limit=None, within=None),
    Row(name="H2", n=500, rate=0.0, limit=0.1 + 0.2, within=True),
]


def test_rows_are_read_back_to_the_last_bit(tmp_path: Path) -> None:
    """Numbers, flags, commas and missing values."""
    write_records(tmp_path / "rows.csv", ROWS, Row)
    assert read_records(tmp_path / "rows.csv", Row) == ROWS


def test_a_damaged_value_is_refused_with_its_line(tmp_path: Path) -> None:
    """The third line, the second row."""
    path = tmp_path / "rows.csv"
    write_records(path, ROWS, Row)
    path.write_text(path.read_text().replace("500", "many"))
    with pytest.raises(DataError, match=r"rows\.csv: line 3: n: .*'many'"):
        read_records(path, Row)


def test_other_columns_are_refused(tmp_path: Path) -> None:
    """A table of another version."""
    path = tmp_path / "rows.csv"
    path.write_text("name,n\nH1,3\n")
    with pytest.raises(DataError, match="line 1: the columns are not name, n, rate"):
        read_records(path, Row)
