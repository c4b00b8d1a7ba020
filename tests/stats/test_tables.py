"""One canonical text for every number."""

from __future__ import annotations

from pathlib import Path

import pytest

from cot_entropy.stats.tables import write_csv


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, ""),
        (0.1 + 0.2, "0.30000000000000004"),
        (-0.0, "0.0"),
        (1e-300, "1e-300"),
        (7, "7"),
        (True, "true"),
        ("a,b", '"a,b"'),
    ],
)
def test_value_has_one_text(tmp_path: Path, value: object, text: str) -> None:
    """Shortest text that reads back; empty for nothing; no minus zero."""
    write_csv(tmp_path / "t.csv", ["x", "y"], [[value, 1]])
    assert (tmp_path / "t.csv").read_bytes() == f"x,y\n{text},1\n".encode()


@pytest.mark.parametrize("value", [float("nan"), float("inf"), -float("inf")])
def test_no_table_holds_an_undefined_number(tmp_path: Path, value: float) -> None:
    """An error that names the column, and no file."""
    with pytest.raises(ValueError, match="y is"):
        write_csv(tmp_path / "t.csv", ["x", "y"], [[1, value]])
    assert not (tmp_path / "t.csv").exists()
