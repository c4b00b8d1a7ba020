from __future__ import annotations

import pytest

from cot_entropy.consistency.intervals import difference, effective_size, paired_difference, wilson


def test_a_difference_is_newcombes() -> None:
    """Newcombe 1998, table II, method 10: 56/70 - 48/80 is 0.2, from 0.0524 to 0.3339."""
    shares = [(k / n, *wilson(k, n)) for k, n in ((56, 70), (48, 80))]
    assert difference(*shares) == pytest.approx((0.2, 0.0524, 0.3339), abs=5e-5)


def test_a_paired_difference_by_hand() -> None:
    """12 and 4 of 40: (12.5 - 4.5) / 42 = 0.190476; variance (17 / 42 - 0.036281) / 42 =
    0.008773; 0.190476 -+ 1.959964 * 0.093666 is 0.006895 to 0.374057; the estimate is 8 / 40."""
    found = paired_difference(0.3, 0.1, 40)
    assert found == pytest.approx((0.2, 0.006895, 0.374057), abs=2e-6)


def test_samples_that_do_not_repeat_are_all_worth_one() -> None:
    """No clusters, no design effect."""
    assert effective_size([True, False, False], ["a", "b", "c"]) == 3


def test_clusters_are_never_worth_more_than_all() -> None:
    """Negative correlation within samples is not counted as a gain: 2 of 4, one in each pair."""
    assert effective_size([True, False, True, False], ["a", "a", "b", "b"]) == 4


def test_one_sample_is_one_observation() -> None:
    """However often it was repeated."""
    assert effective_size([True, False, True], ["a", "a", "a"]) == 1
