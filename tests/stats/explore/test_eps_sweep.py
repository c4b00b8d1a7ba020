"""E4: the flat region by arithmetic, and the sweep against plain loops."""

import math
from itertools import pairwise

import pytest

from cot_entropy.plan.entries.eps_sweep import EpsSweep
from cot_entropy.stats.estimators.eps_sweep import (
    entropy_values,
    estimate,
    partitions,
    smallest_rise,
)

from .simulated import by_quantity, entry_of, random_rows

EPS = [0.0, 0.01, 0.104, 0.105, 0.3]


def run(cell, settings):
    return by_quantity(estimate(cell, entry_of(EpsSweep, "E4", "eps_sweep", eps=EPS), settings))


@pytest.mark.parametrize(("m", "number"), [(1, 1), (5, 7), (10, 42)])
def test_partitions_are_all_there(m, number):
    """The partition numbers p(1), p(5), p(10) of number theory."""
    assert len(set(partitions(m))) == number


def test_smallest_rise_for_five_answers():
    """(3 ln 3 - 4 ln 2) / 5 = 0.1046 nats, the protocol's figure."""
    assert smallest_rise(5) == pytest.approx((3 * math.log(3) - 4 * math.log(2)) / 5, abs=1e-11)


def test_smallest_rise_for_ten_answers():
    """0.003 nats, the protocol's figure."""
    assert round(smallest_rise(10), 3) == 0.003


def test_values_equal_on_paper_are_one_value():
    """{4,4,1} and {6,1,1,1} need not tie; {2,2} and {4} differ: 5 values for m = 4."""
    assert len(entropy_values(4)) == 5


@pytest.mark.parametrize("eps", EPS)
def test_flag_rate_and_gap_equal_a_loop(cell, settings, eps):
    """Each trajectory walked step by step."""
    groups = {True: [], False: []}
    for row in cell.frame.itertuples():
        defined = [h for h in row.entropies if not math.isnan(h)]
        if len(defined) > 1:
            groups[not any(b > a + eps for a, b in pairwise(defined))].append(row.correct)
    yes, no = groups[True], groups[False]
    found = run(cell, settings)
    rate, gap = found[f"flag_rate[eps={eps:g}]"], found[f"accuracy_gap_pp[eps={eps:g}]"]
    assert rate.estimate == pytest.approx(len(yes) / (len(yes) + len(no)))
    assert gap.estimate == pytest.approx(100 * (sum(yes) / len(yes) - sum(no) / len(no)))
    assert (gap.n, gap.n_monotone) == (len(yes) + len(no), len(yes))


def test_flags_are_flat_below_the_smallest_rise(cell, settings):
    """From 0 to 0.104 no flag differs from the registered ones; at 0.105 some do."""
    found = run(cell, settings)
    changed = [found[f"flags_changed[eps={eps:g}]"].estimate for eps in EPS]
    assert changed[:3] == [0, 0, 0]
    assert changed[3] > 0


def test_dropped_answers_shorten_the_flat_region(make_cell, settings):
    """A distribution over four answers has values that five do not: the reason says so."""
    rows = random_rows(20)
    rows[0]["entropies"] = [math.log(4), math.log(5)]
    row = run(make_cell(rows), settings)["smallest_observed_rise_nats"]
    assert row.estimate < smallest_rise(5)
    assert "shorter" in row.reason


def test_no_defined_shape_is_not_assessable(make_cell, settings):
    """All prefixes missing: the arithmetic row stays, the rest has a reason."""
    rows = [
        row | {"entropies": [None, None], "monotone": None, "violations": None}
        for row in random_rows(4)
    ]
    found = run(make_cell(rows), settings)
    assert found["smallest_possible_rise_nats"].estimate == pytest.approx(0.1046, abs=1e-4)
    assert found["flag_rate"].verdict == "not assessable"
    assert found["smallest_observed_rise_nats"].verdict == "not assessable"
