"""Risk-coverage curves and areas against scikit-learn's trapezoid, plain loops and by hand."""

import numpy as np
import pytest
from sklearn.metrics import auc

from cot_entropy.plan.entries.risk_coverage import RiskCoverage as Entry
from cot_entropy.stats.estimators.risk_coverage import estimate
from cot_entropy.stats.explore.ranking import Ranking
from cot_entropy.stats.explore.risk_coverage import RiskCoverage, risk_coverage_curve
from cot_entropy.stats.explore.signals import scores

from .simulated import SIGNAL_NAMES, by_quantity, entry_of, random_rows, resampled

RANGES = ["achievable", "zero_extended", "shared"]
ENTRY = entry_of(Entry, "E2", "risk_coverage", signals=SIGNAL_NAMES, ranges=RANGES)


def points_of(values, correct):
    """Coverage and risk after each distinct score, by a plain loop."""
    coverage, risk = [], []
    for level in sorted(set(values), reverse=True):
        accepted = values >= level
        coverage.append(accepted.mean())
        risk.append((~correct[accepted]).mean())
    return np.array(coverage), np.array(risk)


def curve_of(values, correct):
    included = np.full(len(values), True)
    return RiskCoverage.of(Ranking.of(values, correct, included).sums(np.ones((len(values), 1))))


def random_scores(seed, levels=6, n=80):
    rng = np.random.default_rng(seed)
    return rng.integers(0, levels, n) / 4, rng.random(n) < 0.6


def test_curve_of_the_docstring():
    """Four questions in three tie groups, by hand."""
    points = risk_coverage_curve(np.array([2.0, 1, 1, 0]), np.array([True, True, False, False]))
    assert [(p.coverage, p.risk, p.generalised_risk) for p in points] == [
        (0.25, 0.0, 0.0),
        (0.75, pytest.approx(1 / 3), 0.25),
        (1.0, 0.5, 0.5),
    ]
    assert [p.threshold for p in points] == [2.0, 1.0, 0.0]


@pytest.mark.parametrize("seed", range(3))
def test_areas_equal_sklearns_trapezoid(seed):
    """sklearn.metrics.auc over the tie-grouped points, with and without the extension to 0."""
    values, correct = random_scores(seed)
    coverage, risk = points_of(values, correct)
    curve = curve_of(values, correct)
    assert curve.achievable()[0] == pytest.approx(auc(coverage, risk))
    extended = auc(np.r_[0, coverage], np.r_[risk[0], risk])
    assert curve.zero_extended()[0] == pytest.approx(extended)
    augrc = auc(np.r_[0, coverage], np.r_[0, risk * coverage])
    assert curve.augrc()[0] == pytest.approx(augrc)


@pytest.mark.parametrize("start", [0.5, 0.77, 0.99])
def test_area_from_a_start_interpolates(start):
    """A start between two points cuts the straight line between them."""
    values, correct = random_scores(5)
    coverage, risk = points_of(values, correct)
    inside = coverage > start
    expected = auc(
        np.r_[start, coverage[inside]], np.r_[np.interp(start, coverage, risk), risk[inside]]
    )
    assert curve_of(values, correct).area(np.array([start]))[0] == pytest.approx(expected)


def test_order_of_tied_questions_does_not_matter():
    """Any permutation of the questions gives the same points."""
    values, correct = random_scores(7)
    order = np.random.default_rng(1).permutation(len(values))
    assert risk_coverage_curve(values, correct) == risk_coverage_curve(
        values[order], correct[order]
    )


def test_perfect_ranking_has_no_excess():
    """Untied and perfect: E-AURC tends to 0 with the number of questions."""
    correct = np.arange(20_000) >= 6_000
    assert curve_of(np.arange(20_000.0), correct).excess()[0] == pytest.approx(0, abs=1e-4)


def test_augrc_of_a_useless_score_is_half_the_risk():
    """Traub et al. 2024: for a constant score AUGRC is half the error rate."""
    correct = np.arange(10) < 7
    assert curve_of(np.zeros(10), correct).augrc()[0] == pytest.approx(0.15)


def test_all_wrong_is_defined():
    """Risk 1 throughout: excess 0 over the optimum, which is 1 as well."""
    curve = curve_of(np.arange(4.0), np.zeros(4, dtype=bool))
    assert (curve.zero_extended()[0], curve.excess()[0]) == (1.0, 0.0)


def complete(cell):
    columns = np.array([scores(cell, name) for name in SIGNAL_NAMES])
    return np.flatnonzero(~np.isnan(columns).any(axis=0))


def test_shared_range_starts_where_every_signal_can(cell, settings):
    """Area from the largest first coverage, by plain loops, in every resample."""
    every = {name: scores(cell, name) for name in SIGNAL_NAMES}
    kept = complete(cell)

    def shared(drawn, name="coherence"):
        drawn = drawn[np.isin(drawn, kept)]
        curves = {key: points_of(v[drawn], cell.correct[drawn]) for key, v in every.items()}
        start = max(coverage[0] for coverage, _ in curves.values())
        coverage, risk = curves[name]
        inside = coverage > start
        at_start = np.interp(start, coverage, risk)
        return auc(np.r_[start, coverage[inside]], np.r_[at_start, risk[inside]])

    rows = by_quantity(estimate(cell, ENTRY, settings))
    row = rows["aurc_shared[coherence]"]
    assert row.estimate == pytest.approx(shared(np.arange(cell.n)))
    assert (row.ci_low, row.ci_high) == pytest.approx(resampled(cell, settings, shared))
    difference = rows["aurc_shared_difference[coherence - shape_flag]"].estimate
    assert difference == pytest.approx(row.estimate - rows["aurc_shared[shape_flag]"].estimate)
    assert row.n == len(kept)


@pytest.mark.parametrize("coverage", [0.01, 0.4, 0.83, 1.0])
def test_risk_at_a_coverage_interpolates(coverage):
    """numpy.interp over the tie-grouped points, the first risk before them."""
    values, correct = random_scores(8)
    expected = np.interp(coverage, *points_of(values, correct))
    assert curve_of(values, correct).risk_at(np.array([coverage]))[0] == pytest.approx(expected)


def test_flags_accuracy_gain_is_that_of_the_monotone_chains(cell, settings):
    """Accuracy of monotone chains less that of all, the figure Z26 calls selective accuracy."""
    kept = complete(cell)
    right, flag = cell.correct[kept], cell.monotone[kept]
    row = by_quantity(estimate(cell, ENTRY, settings))["accuracy_gain_pp[shape_flag]"]
    assert row.estimate == pytest.approx(100 * (right[flag].mean() - right.mean()))


def test_constant_signal_has_no_achievable_range(make_cell, settings):
    """Only coverage 1: no area before it, and it does not empty the shared range of others."""
    cell = make_cell([row | {"final_confidence": 1.0} for row in random_rows(60)])
    rows = by_quantity(estimate(cell, ENTRY, settings))
    assert "constant" in rows["aurc_achievable[final_confidence]"].reason
    assert rows["aurc_shared[final_entropy]"].estimate is not None
    assert rows["aurc_shared[final_confidence]"].estimate is None
    base = 1 - cell.correct[complete(cell)].mean()
    assert rows["aurc_zero_extended[final_confidence]"].estimate == pytest.approx(base)


def test_no_complete_question_is_not_assessable(make_cell, settings):
    """Every signal undefined somewhere: rows with the reason."""
    rows = [
        row | {"monotone": None, "violations": None, "coherence": None} for row in random_rows(5)
    ]
    found = estimate(make_cell(rows), ENTRY, settings)
    assert {row.verdict for row in found} == {"not assessable"}
    assert {row.n for row in found} == {0}


def test_curve_without_scores_is_empty():
    """Nothing to draw."""
    assert risk_coverage_curve(np.full(3, np.nan), np.full(3, True)) == []
