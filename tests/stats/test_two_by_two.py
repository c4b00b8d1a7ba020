"""Published counts give published statistics; random counts agree with other implementations."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats
from statsmodels.stats.contingency_tables import Table2x2

from cot_entropy.stats.two_by_two import (
    TwoByTwo,
    accuracy_gap,
    chi_square_p,
    conditional_odds_ratio,
    fisher_p,
    gap_interval,
    gap_of,
    sample_odds_ratio,
)

PILOT = TwoByTwo(right_monotone=152, wrong_monotone=69, right_other=37, wrong_other=42)
"""Z26's pilot: n = 300, flag rate 0.737, 68.8 % against 46.8 %."""


def table_of(rng: np.random.Generator) -> TwoByTwo:
    counts = rng.integers(1, 60, size=4).tolist()
    return TwoByTwo(
        right_monotone=counts[0],
        wrong_monotone=counts[1],
        right_other=counts[2],
        wrong_other=counts[3],
    )


def test_pilot_counts_follow_from_the_printed_rates() -> None:
    """The nearest whole numbers to n, flag rate and the two accuracies are the counts used."""
    assert PILOT.monotone == round(300 * 0.737)
    assert PILOT.right_monotone == round(0.688 * 221)
    assert PILOT.right_other == round(0.468 * 79)


def test_pilot_gap_is_21_9_points() -> None:
    """Z26 prints +21.9."""
    gap = gap_of(PILOT)
    assert gap is not None
    assert round(gap, 1) == 21.9


def test_pilot_odds_ratio_is_2_50() -> None:
    """Z26 prints OR 2.50."""
    ratio = sample_odds_ratio(PILOT, level=0.95).estimate
    assert ratio is not None
    assert round(ratio, 2) == 2.50


@pytest.mark.parametrize(
    ("alternative", "printed"), [("two-sided", "0.00068"), ("greater", "0.00049")]
)
def test_pilot_fisher_p(alternative: str, printed: str) -> None:
    """Two-sided 0.00068; the 0.0005 that Z26 prints fits the one-sided test."""
    assert f"{fisher_p(PILOT, alternative=alternative):.5f}" == printed


def test_pilot_chi_square_p_is_compatible_with_the_printed_p() -> None:
    """Uncorrected chi-square from the same counts: 0.00053."""
    p = chi_square_p(PILOT)
    assert p is not None
    assert f"{p:.5f}" == "0.00053"


def test_gap_agrees_with_arithmetic_elementwise() -> None:
    """Two tables at once: 3/4 - 1/2, and an empty group."""
    gaps = accuracy_gap(*np.array([[3.0, 3.0], [1.0, 1.0], [1.0, 0.0], [1.0, 0.0]]))
    assert gaps[0] == 25.0
    assert np.isnan(gaps[1])


def test_gap_of_an_empty_group_is_undefined() -> None:
    """No non-monotone chain: nothing to compare."""
    assert (
        gap_of(TwoByTwo(right_monotone=3, wrong_monotone=1, right_other=0, wrong_other=0)) is None
    )


@pytest.mark.parametrize("seed", range(10))
def test_sample_odds_ratio_agrees_with_statsmodels(seed: int) -> None:
    """Cross product and Woolf's interval."""
    table = table_of(np.random.default_rng(seed))
    ours = sample_odds_ratio(table, level=0.9)
    theirs = Table2x2(table.array)
    low, high = theirs.oddsratio_confint(alpha=0.1)
    assert (ours.estimate, ours.low, ours.high) == pytest.approx((theirs.oddsratio, low, high))


@pytest.mark.parametrize("seed", range(5))
def test_conditional_odds_ratio_solves_its_score_equation(seed: int) -> None:
    """At the estimate the noncentral hypergeometric mean is the observed count."""
    table = table_of(np.random.default_rng(seed))
    estimate = conditional_odds_ratio(table, level=0.95).estimate
    assert estimate is not None
    n, right = table.monotone + table.other, table.right
    mean = stats.nchypergeom_fisher.mean(n, right, table.monotone, estimate)
    assert mean == pytest.approx(table.right_monotone, abs=1e-6)


def test_sample_odds_ratio_with_a_zero_count_is_undefined() -> None:
    """No wrong answer among the monotone chains."""
    table = TwoByTwo(right_monotone=9, wrong_monotone=0, right_other=3, wrong_other=4)
    assert sample_odds_ratio(table, level=0.95).estimate is None


def test_conditional_odds_ratio_keeps_its_finite_bound() -> None:
    """An infinite estimate still has a lower bound, where Fisher's test puts it."""
    table = TwoByTwo(right_monotone=9, wrong_monotone=0, right_other=3, wrong_other=4)
    ratio = conditional_odds_ratio(table, level=0.95)
    assert ratio.estimate is None
    assert ratio.high is None
    assert ratio.low is not None
    tail = stats.nchypergeom_fisher.sf(8, 16, 12, 9, ratio.low)
    assert tail == pytest.approx(0.025, abs=1e-4)


@pytest.mark.parametrize(("right", "wrong"), [(7, 0), (0, 7)])
def test_one_outcome_class_has_no_odds_ratio(right: int, wrong: int) -> None:
    """All right or all wrong: undefined, and chi-square too."""
    table = TwoByTwo(
        right_monotone=right, wrong_monotone=wrong, right_other=right, wrong_other=wrong
    )
    assert conditional_odds_ratio(table, level=0.95).estimate is None
    assert chi_square_p(table) is None
    assert fisher_p(table) == 1.0


def wilson(right: float, n: float, z: float) -> tuple[float, float]:
    """The roots of (p - x/n)^2 = z^2 p (1 - p) / n."""
    roots = np.roots([1 + z**2 / n, -2 * right / n - z**2 / n, (right / n) ** 2])
    return float(min(roots.real)), float(max(roots.real))


def test_newcombe_agrees_with_his_method_10() -> None:
    """From the two score intervals, as the 1998 paper combines them."""
    z = stats.norm.ppf(0.975)
    (l1, u1), (l2, u2) = wilson(152, 221, z), wilson(37, 79, z)
    p1, p2 = 152 / 221, 37 / 79
    low = p1 - p2 - np.hypot(p1 - l1, u2 - p2)
    high = p1 - p2 + np.hypot(u1 - p1, p2 - l2)
    counts = PILOT.array.ravel().astype(float)
    got = gap_interval(*counts, method="newcombe", level=0.95)
    assert got == pytest.approx((100 * low, 100 * high))


def test_newcombe_of_his_own_example() -> None:
    """56/70 against 48/80: 0.0524 to 0.3339 (Newcombe 1998, table II, method 10, column a)."""
    low, high = gap_interval(
        *(np.array([float(x)]) for x in (56, 14, 48, 32)), method="newcombe", level=0.95
    )
    assert (round(low[0], 2), round(high[0], 2)) == (5.24, 33.39)


def test_agresti_caffo_adds_one_right_and_one_wrong_to_each_group() -> None:
    """Wald's interval of 153/223 against 38/81."""
    p1, p2 = 153 / 223, 38 / 81
    half = stats.norm.ppf(0.975) * np.sqrt(p1 * (1 - p1) / 223 + p2 * (1 - p2) / 81)
    counts = PILOT.array.ravel().astype(float)
    got = gap_interval(*counts, method="agresti_caffo", level=0.95)
    assert got == pytest.approx((100 * (p1 - p2 - half), 100 * (p1 - p2 + half)))
