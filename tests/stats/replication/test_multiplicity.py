"""Closed testing against its definition: every subset, tested."""

from __future__ import annotations

from itertools import combinations

import pytest

from cot_entropy.stats.replication.multiplicity import closed_testing, true_discoveries

FAMILIES = [
    [0.01, 0.02, 0.03, 0.04],
    [0.001, 0.2, 0.03, 0.04, 0.9, 0.012],
    [0.06, 0.07, 0.5],
    [0.02, 0.02, 0.02],
    [0.5],
]


def simes(p_values: tuple[float, ...]) -> float:
    return min(len(p_values) * p / rank for rank, p in enumerate(sorted(p_values), start=1))


def subsets(p_values: list[float]) -> list[tuple[int, ...]]:
    places = range(len(p_values))
    return [chosen for size in range(1, len(p_values) + 1) for chosen in combinations(places, size)]


@pytest.mark.parametrize("family", FAMILIES)
def test_adjusted_p_is_the_largest_over_the_sets_that_hold_the_cell(family: list[float]) -> None:
    """The definition of closed testing, by enumeration."""
    found = closed_testing(family)
    for place, value in enumerate(found):
        holding = [chosen for chosen in subsets(family) if place in chosen]
        expected = max(simes(tuple(family[i] for i in chosen)) for chosen in holding)
        assert value == pytest.approx(min(1.0, expected))


@pytest.mark.parametrize("family", FAMILIES)
def test_true_discoveries_by_enumeration(family: list[float]) -> None:
    """All cells less the largest set that is not rejected, over all sets."""
    standing = [
        len(chosen) for chosen in subsets(family) if simes(tuple(family[i] for i in chosen)) > 0.05
    ]
    expected = len(family) - max(standing, default=0)
    assert true_discoveries(family, alpha=0.05) == expected


def test_it_can_reject_where_holm_does_not() -> None:
    """Three p-values of 0.02: Holm's adjusted ones are 0.06, Simes's closure rejects all."""
    assert all((p or 1) < 0.05 for p in closed_testing([0.02, 0.02, 0.02]))


def test_a_missing_cell_counts_as_one() -> None:
    """It stays missing, and makes the others harder."""
    found = closed_testing([0.03, None])
    assert found[1] is None
    assert found[0] == pytest.approx(0.06)


def test_no_cells() -> None:
    """Nothing to adjust."""
    assert closed_testing([]) == []
    assert true_discoveries([], alpha=0.05) == 0
