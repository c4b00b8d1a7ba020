"""The numbers of docs/explanation/quantisation.md, from arithmetic."""

import re
from itertools import pairwise, product
from pathlib import Path

from scipy.stats import entropy

PAGE = (Path(__file__).parents[2] / "docs/explanation/quantisation.md").read_text(encoding="utf-8")
ROWS = [
    ([int(size) for size in sizes.split(",")], float(value), float(rise) if rise else None)
    for sizes, value, rise in re.findall(
        r"^\| ([\d, ]+) \| (\d\.\d{4}) \| (\d\.\d{4})? ?\|$", PAGE, re.MULTILINE
    )
]


def partitions(total: int, largest: int) -> list[tuple[int, ...]]:
    if not total:
        return [()]
    firsts = range(min(total, largest), 0, -1)
    return [(first, *rest) for first in firsts for rest in partitions(total - first, first)]


def values(m: int) -> list[float]:
    """Every value of H with m answers, rounded so that equal ones are one."""
    return sorted({round(float(entropy(sizes)), 12) for sizes in partitions(m, m)})


def test_the_table_lists_every_partition_of_five() -> None:
    assert sorted(tuple(sizes) for sizes, _, _ in ROWS) == sorted(partitions(5, 5))


def test_the_table_gives_the_entropy_of_each() -> None:
    assert all(round(float(entropy(sizes)), 4) == value for sizes, value, _ in ROWS)


def test_the_table_gives_each_rise() -> None:
    exact = [float(entropy(sizes)) for sizes, _, _ in ROWS]
    rises = [round(after - before, 4) for before, after in pairwise(exact)]
    assert [rise for _, _, rise in ROWS] == [None, *rises]


def test_coherence_takes_33_values() -> None:
    falls = {round(first - last, 9) for first, last in product(values(5), values(5))}
    assert len(falls) == 33
    assert "at most 33 values" in PAGE


def test_ten_answers_allow_smaller_rises() -> None:
    assert f"{min(high - low for low, high in pairwise(values(10))):.4f}" == "0.0029"
    assert "the smallest rise is 0.0029" in PAGE


def test_dropping_one_answer_allows_smaller_rises() -> None:
    mixed = sorted({*values(4), *values(5)})
    assert f"{min(high - low for low, high in pairwise(mixed)):.4f}" == "0.0152"
    assert "lie 0.0152 nats" in PAGE
