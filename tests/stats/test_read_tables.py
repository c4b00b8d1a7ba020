"""Reading results tables: what is refused, and where it says the fault is."""

from pathlib import Path

import pytest

from cot_entropy.base.errors import DataError
from cot_entropy.stats.read_tables import read_rows, read_table

HEADER = "id,cell,kind,estimate,ci_low,ci_high,n,verdict,reason\n"


def table(folder: Path, *lines: str, header: str = HEADER) -> Path:
    path = folder / "verdicts.csv"
    path.write_text(header + "".join(line + "\n" for line in lines), encoding="utf-8")
    return path


def test_a_row_is_read_with_its_types(tmp_path: Path) -> None:
    """Numbers become numbers, and a comma inside quotes stays in its field."""
    path = table(tmp_path, 'H1,m/d,confirmatory,9.6,4.1,15.2,1319,supported,"a, b"')
    (row,) = read_rows(path)
    assert (row.estimate, row.n, row.verdict, row.reason) == (9.6, 1319, "supported", "a, b")


def test_an_empty_field_is_no_value(tmp_path: Path) -> None:
    """Undefined is None, never 0."""
    (row,) = read_rows(table(tmp_path, "H1,m/d,exploratory,,,,,not run,"))
    assert (row.estimate, row.ci_low, row.n) == (None, None, None)


@pytest.mark.parametrize(
    ("line", "key"),
    [
        ("H1,m/d,confirmatory,high,,,,,", "estimate"),
        ("H1,m/d,confirmatory,nan,,,,,", "estimate"),
        ("H1,m/d,confirmatory,1.0,inf,,,,", "ci_low"),
        ("H1,m/d,confirmatory,1.0,,,2.5,,", "n"),
        ("H1,m/d,certain,1.0,,,,,", "kind"),
        ("H1,m/d,confirmatory,1.0,,,,proven,", "verdict"),
        (",m/d,confirmatory,1.0,,,,,", "id"),
    ],
)
def test_a_bad_field_is_named_with_its_line(tmp_path: Path, line: str, key: str) -> None:
    """The message has the file, the line (the header is line 1) and the column."""
    path = table(tmp_path, "H1,m/d,confirmatory,1.0,,,,,", line)
    with pytest.raises(DataError, match=rf"verdicts\.csv:3: {key}"):
        read_rows(path)


def test_a_short_line_is_refused(tmp_path: Path) -> None:
    """A line with too few fields was cut off."""
    with pytest.raises(DataError, match=r":2: 2 fields, not 9"):
        read_rows(table(tmp_path, "H1,m/d"))


def test_a_missing_file_says_what_to_do(tmp_path: Path) -> None:
    """No traceback of the operating system's."""
    with pytest.raises(DataError, match="run the analysis first"):
        read_rows(tmp_path / "verdicts.csv")


def test_a_binary_file_is_refused(tmp_path: Path) -> None:
    """Bytes that are no UTF-8 are no table."""
    path = tmp_path / "x.csv"
    path.write_bytes(b"a,b\n\xff\xfe,1\n")
    with pytest.raises(DataError, match="not a readable CSV"):
        read_table(path)


def test_a_table_keeps_its_order(tmp_path: Path) -> None:
    """Columns and rows are shown as the file has them."""
    path = tmp_path / "x.csv"
    path.write_text("b,a\n2,1\n4,3\n", encoding="utf-8")
    found = read_table(path)
    assert (found.columns, found.column("a")) == (("b", "a"), ("1", "3"))
