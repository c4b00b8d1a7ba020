"""Tables are compared by content: exactly where exact, within a tolerance where rounded."""

from pathlib import Path

import pytest

from cot_entropy.audit.table_diff import Table, differences, read_csv, same, summary
from cot_entropy.base.errors import DataError

COLUMNS = ("id", "cell", "estimate", "verdict")
STORED = Table(COLUMNS, (("H1", "a/x", 0.5, "supported"), ("H1", "b/x", 0.25, "inconclusive")))


def changed(*rows: tuple[object, ...], columns: tuple[str, ...] = COLUMNS) -> list[str]:
    return [str(one) for one in differences(STORED, Table(columns, rows))]


def test_equal_tables_have_no_difference() -> None:
    assert changed(*STORED.rows) == []


def test_a_changed_number_is_shown_with_its_relative_size() -> None:
    """|0.5 - 0.4| / 0.5 = 0.2."""
    rows = (("H1", "a/x", 0.4, "supported"), STORED.rows[1])
    assert changed(*rows) == ["H1 a/x: estimate: 0.5 v 0.4 (relative 0.2)"]


def test_a_changed_word_is_shown() -> None:
    rows = (("H1", "a/x", 0.5, "refuted"), STORED.rows[1])
    assert changed(*rows) == ["H1 a/x: verdict: 'supported' v 'refuted'"]


def test_a_missing_row_and_an_added_one_are_shown() -> None:
    rows = (STORED.rows[0], ("H1", "c/x", 0.25, "inconclusive"))
    assert changed(*rows) == [
        "row H1 b/x stands in the first only",
        "row H1 c/x stands in the second only",
    ]


def test_reordered_rows_are_a_difference() -> None:
    assert changed(*reversed(STORED.rows)) == ["H1 a/x: order of rows: 'here' v 'elsewhere'"]


def test_a_row_that_stands_twice_is_a_difference() -> None:
    assert changed(*STORED.rows, STORED.rows[1]) == ["row H1 b/x #2 stands in the second only"]


def test_a_column_that_one_table_lacks_is_a_difference() -> None:
    rows = tuple(row[:3] for row in STORED.rows)
    assert changed(*rows, columns=COLUMNS[:3]) == ["verdict: 'column' v none"]


@pytest.mark.parametrize(
    ("first", "second", "equal"),
    [
        (1.0, 1.0 + 1e-7, True),
        (1.0, 1.0 + 1e-5, False),
        (0.0, 1e-13, True),
        (0.0, 1e-9, False),
        (3, 3, True),
        (3, 4, False),
        (3.0, 3, True),
        (True, True, True),
        (True, 1, False),
        (None, None, True),
        (None, 0.0, False),
        ("a", "a", True),
        ([0.5, None], [0.5, None], True),
        ([0.5, None], [0.5, 0.0], False),
        ([0.5], [0.5, 0.5], False),
    ],
)
def test_floats_have_a_tolerance_and_nothing_else(
    first: object, second: object, equal: bool
) -> None:
    assert same(first, second) is equal
    assert same(second, first) is equal


def test_a_short_line_is_named(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("a,b\n1,2\n3\n")
    with pytest.raises(DataError, match=r"t\.csv:3: 1 fields under 2 columns"):
        read_csv(tmp_path / "t.csv")


def test_a_long_list_of_differences_is_cut() -> None:
    rows = [(f"H{n}", "a/x", 0.5, "supported") for n in range(2, 9)]
    found = list(differences(STORED, Table(COLUMNS, (*STORED.rows, *rows))))
    assert summary(found).endswith("; and 4 more")
