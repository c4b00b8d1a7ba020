"""E1 against scikit-learn, on random cells with ties and missing values."""

import numpy as np
import pytest
from sklearn.metrics import roc_auc_score

from cot_entropy.plan.entries.signal_auroc import SignalAuroc
from cot_entropy.stats.estimators.signal_auroc import estimate
from cot_entropy.stats.explore.ranking import Ranking, auroc
from cot_entropy.stats.explore.signals import scores

from .simulated import SIGNAL_NAMES, by_quantity, entry_of, random_rows, resampled

ENTRY = entry_of(SignalAuroc, "E1", "signal_auroc", signals=SIGNAL_NAMES, reference="shape_flag")


def run(cell, settings):
    return by_quantity(estimate(cell, ENTRY, settings))


@pytest.mark.parametrize("levels", [2, 5, 1000])
def test_auroc_equals_sklearn_with_sample_weight(levels):
    """Every resample's weighted AUROC is scikit-learn's, ties from heavy to none."""
    rng = np.random.default_rng(levels)
    values, correct = rng.integers(0, levels, 60) / 7, rng.random(60) < 0.7
    weights = rng.multinomial(60, np.full(60, 1 / 60), size=40).T.astype(float)
    found = auroc(Ranking.of(values, correct, np.full(60, True)).sums(weights))
    expected = [roc_auc_score(correct, values, sample_weight=column) for column in weights.T]
    np.testing.assert_allclose(found, expected, atol=1e-12)


@pytest.mark.parametrize("name", SIGNAL_NAMES)
def test_each_signal_equals_sklearn_where_it_is_defined(cell, settings, name):
    """The point estimate is scikit-learn's over the defined questions."""
    values = scores(cell, name)
    defined = ~np.isnan(values)
    row = run(cell, settings)[f"auroc[{name}]"]
    assert row.estimate == pytest.approx(roc_auc_score(cell.correct[defined], values[defined]))
    assert row.n == defined.sum()


def test_difference_is_paired_on_the_same_resamples(cell, settings):
    """The interval of a difference is that of differences within each resample."""
    left, right = scores(cell, "final_entropy"), scores(cell, "shape_flag")
    both = ~np.isnan(left) & ~np.isnan(right)

    def difference(drawn):
        kept = drawn[both[drawn]]
        truth = cell.correct[kept]
        return roc_auc_score(truth, left[kept]) - roc_auc_score(truth, right[kept])

    row = run(cell, settings)["auroc_difference[final_entropy - shape_flag]"]
    assert row.estimate == pytest.approx(difference(np.arange(cell.n)))
    assert (row.ci_low, row.ci_high) == pytest.approx(resampled(cell, settings, difference))


def test_one_outcome_class_is_not_assessable(make_cell, settings):
    """Nothing to rank: no estimate, the reason, no warning."""
    rows = [row | {"correct": True} for row in random_rows(20)]
    for row in run(make_cell(rows), settings).values():
        assert row.estimate is None
        assert row.verdict == "not assessable"
        assert "one outcome class" in row.reason


def test_constant_signal_ranks_like_chance(make_cell, settings):
    """All tied: 0.5 in every resample."""
    row = run(make_cell([row | {"final_confidence": 1.0} for row in random_rows(40)]), settings)
    found = row["auroc[final_confidence]"]
    assert (found.estimate, found.ci_low, found.ci_high) == (0.5, 0.5, 0.5)


def test_resamples_of_one_class_are_counted(make_cell, settings):
    """With one wrong answer about a third of the resamples hold none: left out and counted."""
    rows = [row | {"correct": index > 0} for index, row in enumerate(random_rows(30))]
    row = run(make_cell(rows), settings)["auroc[chain_length]"]
    assert row.reason.startswith("undefined in ")
    assert 20 < int(row.reason.split()[2]) < 55


@pytest.mark.parametrize("n", [1, 2])
def test_tiny_cells_have_rows(make_cell, settings, n):
    """One or two questions: a row for every quantity."""
    assert len(run(make_cell(random_rows(n)), settings)) == 2 * len(SIGNAL_NAMES) - 1
