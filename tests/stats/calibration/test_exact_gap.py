"""Exact error rate and power of the gap's rule, against scipy and simulation."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from cot_entropy.plan.model import MinimumSizes
from cot_entropy.stats.calibration.exact_gap import GapDesign
from cot_entropy.stats.populations import GapTruth
from cot_entropy.stats.two_by_two import TwoByTwo, fisher_p, gap_interval

MINIMUM = MinimumSizes(group=30, correct=10, wrong=10)


def design(monotone: int, other: int, *, minimum: MinimumSizes = MINIMUM) -> GapDesign:
    return GapDesign(
        monotone=monotone,
        other=other,
        interval="agresti_caffo",
        level=0.95,
        alpha=0.05,
        minimum=minimum,
    )


def test_fisher_of_every_pair_is_scipys() -> None:
    """All 8 x 13 tables."""
    ours = design(7, 12).fisher
    for a in range(8):
        for b in range(13):
            table = TwoByTwo.of([a, 7 - a, b, 12 - b])
            assert ours[a, b] == pytest.approx(fisher_p(table), rel=1e-9), (a, b)


def test_support_is_the_share_of_simulated_studies_that_support() -> None:
    """20,000 studies by hand, within four standard errors."""
    truth = GapTruth(monotone=0.8, other=0.65)
    rng = np.random.default_rng(0)
    a, b = rng.binomial(60, truth.monotone, 20_000), rng.binomial(90, truth.other, 20_000)
    low, _ = gap_interval(
        *(x * 1.0 for x in (a, 60 - a, b, 90 - b)), method="agresti_caffo", level=0.95
    )
    p = {
        pair: stats.fisher_exact([[pair[0], 60 - pair[0]], [pair[1], 90 - pair[1]]]).pvalue
        for pair in set(zip(a, b, strict=True))
    }
    significant = np.array([p[pair] < 0.05 for pair in zip(a, b, strict=True)])
    assessable = (a + b >= 10) & (150 - a - b >= 10)
    simulated = (significant & (low > 0) & assessable)[assessable].mean()
    assert design(60, 90).support(truth) == pytest.approx(
        simulated, abs=4 * np.sqrt(simulated * (1 - simulated) / 20_000)
    )


@pytest.mark.parametrize("n", [1319, 500])
@pytest.mark.parametrize("flag_rate", [0.03, 0.1, 0.3, 0.75, 0.95])
def test_registered_rule_supports_a_false_claim_in_at_most_2_5_percent(
    n: int, flag_rate: float
) -> None:
    """At the registered sizes and every accuracy, wherever assessable: no simulation error."""
    monotone = round(n * flag_rate)
    rule = design(monotone, n - monotone)
    for accuracy in (0.2, 0.4, 0.6, 0.8, 0.9, 0.93, 0.95, 0.97):
        assert rule.support(GapTruth(monotone=accuracy, other=accuracy)) <= 0.025


def test_smallest_gap_has_the_power_asked_for() -> None:
    """80 % at the gap found."""
    rule = design(200, 300)
    gap = rule.smallest_gap(0.6, power=0.8)
    assert gap is not None
    truth = GapTruth.of(accuracy=0.6, flag_rate=0.4, gap=gap)
    assert rule.support(truth) == pytest.approx(0.8, abs=0.002)


def test_smallest_gap_is_near_the_textbook_approximation() -> None:
    """Two groups of 250 at 50 %: (1.96 + 0.84) sqrt(2 p q / n) = 12.5 points."""
    gap = design(250, 250).smallest_gap(0.5, power=0.8)
    assert gap == pytest.approx(100 * 2.8 * np.sqrt(2 * 0.25 / 250), rel=0.06)


def test_no_gap_is_detectable_where_nothing_is_assessable() -> None:
    """1 % of 500 chains monotone: R26's distilled model."""
    assert design(5, 495).smallest_gap(0.8, power=0.8) is None


def test_truth_keeps_the_overall_accuracy() -> None:
    """The groups' mean, weighted by size."""
    truth = GapTruth.of(accuracy=0.7, flag_rate=0.2, gap=12.0)
    assert 0.2 * truth.monotone + 0.8 * truth.other == pytest.approx(0.7)
    assert truth.monotone - truth.other == pytest.approx(0.12)
