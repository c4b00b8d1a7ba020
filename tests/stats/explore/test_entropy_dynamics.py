"""Area under the trajectory and the change point, by hand."""

from math import log

import numpy as np
import pytest

from cot_entropy.stats.explore.entropy_dynamics import area, settled

NAN = float("nan")


def test_area_is_the_mean_height_by_trapezoids():
    """(1.2 + 0.6)/2 and (0.6 + 0)/2: 0.9 and 0.3, 0.6 on average."""
    assert area(np.array([[1.2, 0.6, 0.0]])) == pytest.approx([0.6])


def test_area_joins_over_a_missing_prefix():
    """A straight line from 1.2 at k = 0 to 0 at k = 2."""
    assert area(np.array([[1.2, NAN, 0.0, NAN]])) == pytest.approx([0.6])


def test_one_defined_entropy_has_neither():
    assert np.isnan(area(np.array([[0.5, NAN]]))).all()
    assert np.isnan(settled(np.array([[0.5, NAN]]))).all()


def test_two_unanimous_prefixes_are_the_alarm():
    """Each gives ln 5 / 2 of evidence; 3 of the 5 prefixes lie from the second of them on."""
    high = log(5)
    assert settled(np.array([[high, 0.0, 0.0, high, 0.0]])) == pytest.approx([3 / 5])


def test_evidence_is_lost_where_entropy_rises_again():
    """0.805, then 0.805 + 0.805 - 1.609 = 0: no alarm."""
    assert settled(np.array([[log(5), 0.0, log(5), 0.0]])) == pytest.approx([0.0])


def test_an_earlier_alarm_scores_higher():
    late = [log(5), log(5), 0.0, 0.0]
    early = [0.0, 0.0, 0.0, 0.0]
    first, second = settled(np.array([late, early]))
    assert second > first > 0
