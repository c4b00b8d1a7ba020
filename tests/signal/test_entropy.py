"""Entropy of answers, violations and coherence, against scipy and by hand."""

import math
from itertools import combinations, pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import entropy as scipy_entropy

from cot_entropy.signal.entropy import (
    class_counts,
    coherence,
    plug_in_entropies,
    plug_in_entropy,
    prefix_entropy,
    violation_counts,
    violations,
)


def partitions(total, largest=None):
    """Every way to split `total` answers into classes."""
    if total == 0:
        yield ()
    for first in range(min(total, largest or total), 0, -1):
        for rest in partitions(total - first, first):
            yield (first, *rest)


def values(m):
    return sorted(plug_in_entropy(counts) for counts in partitions(m))


def test_five_answers_take_the_seven_registered_values():
    """Protocol section 3: with m = 5 the plug-in entropy has seven values."""
    assert [round(value, 3) for value in values(5)] == [0, 0.5, 0.673, 0.95, 1.055, 1.332, 1.609]


def test_smallest_rise_of_five_answers():
    """{3,1,1} to {2,2,1} is the smallest rise: (3 ln 3 - 4 ln 2) / 5 = 0.1046 nats."""
    smallest = min(high - low for low, high in pairwise(values(5)))
    assert smallest == pytest.approx((3 * math.log(3) - 4 * math.log(2)) / 5, abs=1e-12)
    assert round(smallest, 4) == 0.1046


def test_smallest_rise_of_ten_answers():
    """With m = 10 the smallest rise between two distinct values is 0.003 nats."""
    rises = [high - low for low, high in pairwise(values(10)) if high - low > 1e-12]
    assert round(min(rises), 3) == 0.003


@settings(deadline=None)
@given(st.lists(st.integers(0, 40), min_size=1, max_size=12).filter(any))
def test_equals_scipy(counts):
    """scipy.stats.entropy of the same counts, whatever their order."""
    assert plug_in_entropy(counts) == pytest.approx(scipy_entropy(counts), abs=1e-12)


@settings(deadline=None)
@given(st.permutations([4, 3, 3, 2, 1, 1, 1, 0, 0]))
def test_equal_partitions_tie_to_the_bit(counts):
    """Neither order nor empty classes reach the last bit."""
    assert plug_in_entropy(counts) == plug_in_entropy([4, 3, 3, 2, 1, 1, 1])


def test_one_class_is_positive_zero():
    """Certainty is 0.0, never -0.0."""
    assert math.copysign(1, plug_in_entropy([5])) == 1


def test_no_answers_have_no_entropy():
    """An empty distribution is undefined, not certain."""
    with pytest.raises(ValueError, match="undefined"):
        plug_in_entropy([0, 0])


def test_entropies_keep_the_leading_axes():
    """Vectorised over the leading axes, NaN where nothing was counted."""
    found = plug_in_entropies([[[5, 0], [1, 1]], [[0, 0], [3, 3]]])
    np.testing.assert_allclose(found, [[0, math.log(2)], [np.nan, math.log(2)]])


@pytest.mark.parametrize(
    ("rule", "expected"),
    [("shared_class", [1, 2, 2]), ("drop", [1, 2]), ("singleton", [1, 1, 1, 2])],
)
def test_class_counts_by_rule(rule, expected):
    """Two answers missing of five: one class, none, or two."""
    counts = class_counts([7, -1, 7, 3, -1], rule)
    assert sorted(count for count in counts.tolist() if count) == expected


@pytest.mark.parametrize("rule", ["shared_class", "drop", "singleton"])
def test_a_prefix_without_answers_is_missing_under_each_rule(rule):
    """All m failing is flagged, not a certain `no answer`."""
    assert prefix_entropy([-1, -1, -1], rule) is None


def test_prefix_entropy_shared_class():
    """{2,2,1} over five: 1.055 nats by hand."""
    by_hand = -(2 * 0.4 * math.log(0.4) + 0.2 * math.log(0.2))
    assert prefix_entropy([7, -1, 7, 3, -1]) == pytest.approx(by_hand)


@pytest.mark.parametrize(
    ("entropies", "expected"),
    [
        ([], None),
        ([1.0], None),
        ([None, 1.0, None], None),
        ([1.0, 0.5, 0.5], 0),
        ([0.5, 1.0, 0.5, 1.0], 2),
        ([0.5, None, 1.0], 1),
        ([1.0, None, 0.5, None, 0.6], 1),
        ([0.0, 0.01], 0),
    ],
)
def test_violations_by_hand(entropies, expected):
    """Rises above eps between neighbouring defined H; one defined H has no shape."""
    assert violations(entropies, 0.01) == expected


@settings(deadline=None)
@given(
    st.lists(
        st.lists(st.none() | st.sampled_from(values(5)), min_size=6, max_size=6),
        min_size=1,
        max_size=8,
    )
)
def test_violation_counts_equal_a_loop(trajectories):
    """Against a plain loop over each trajectory with its missing H removed."""
    found = violation_counts(np.array(trajectories, dtype=float), 0.01)
    for count, row in zip(found, trajectories, strict=True):
        defined = [h for h in row if h is not None]
        expected = sum(after > before + 0.01 for before, after in pairwise(defined))
        assert math.isnan(count) if len(defined) < 2 else count == expected


def test_eps_below_the_smallest_rise_changes_nothing():
    """With m = 5 every eps from just above 0 to below 0.1046 flags the same steps."""
    for low, high in combinations(sorted(set(values(5))), 2):
        assert violations([low, high], 1e-9) == violations([low, high], 0.1045) == 1


@pytest.mark.parametrize(
    ("entropies", "expected"),
    [([], None), ([0.5], 0.0), ([None, 0.5], None), ([0.5, None], None), ([1.5, 2.0, 0.5], 1.0)],
)
def test_coherence_by_hand(entropies, expected):
    """H_0 - H_N, defined only where both are."""
    assert coherence(entropies) == expected


def test_equal_falls_of_different_partitions_tie():
    """{2,1,1,1} to {3,1,1} and {2,2,1} to {3,2} both fall by (3 ln 3 - 2 ln 2) / 5."""
    high = coherence([plug_in_entropy([2, 1, 1, 1]), plug_in_entropy([3, 1, 1])])
    low = coherence([plug_in_entropy([2, 2, 1]), plug_in_entropy([3, 2])])
    assert high == low == pytest.approx((3 * math.log(3) - 2 * math.log(2)) / 5)
