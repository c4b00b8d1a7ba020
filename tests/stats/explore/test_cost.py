"""E9 by hand."""

import pytest

from cot_entropy.plan.entries.cost import Cost
from cot_entropy.stats.estimators.cost import estimate

from .simulated import by_quantity, entry_of, random_rows


def run(rows, make_cell, settings):
    entry = entry_of(Cost, "E9", "cost", self_consistency_chains=40)
    return by_quantity(estimate(make_cell(rows), entry, settings))


def test_cost_of_two_questions_by_hand(make_cell, settings):
    """Chains of 100 and 300 tokens, probes of 500 and 700: 800 against 40 x 200."""
    rows = [
        row | {"chain_tokens": chain, "probe_tokens": probe}
        for row, chain, probe in zip(random_rows(2), (100, 300), (500, 700), strict=True)
    ]
    found = run(rows, make_cell, settings)
    assert found["tokens_per_question"].estimate == 800
    assert found["tokens_per_question[self-consistency, 40 chains]"].estimate == 8000
    share = found["tokens_percent_of_self_consistency[40 chains]"]
    assert share.estimate == pytest.approx(10)
    assert (share.ci_low, share.ci_high) == pytest.approx((100 * 1000 / 12000, 100 * 600 / 4000))


def test_empty_chains_have_no_ratio(make_cell, settings):
    """No chain token anywhere: the share is not assessable, the cost is."""
    found = run([row | {"chain_tokens": 0} for row in random_rows(3)], make_cell, settings)
    assert found["tokens_percent_of_self_consistency[40 chains]"].verdict == "not assessable"
    assert found["tokens_per_question"].estimate > 0
