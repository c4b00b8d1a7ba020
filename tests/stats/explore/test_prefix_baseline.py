"""The baseline before any completion: features by hand, scores from folds that lack the question."""

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import StratifiedKFold

from cot_entropy.stats.explore.prefix_baseline import _features, prefix_scores, slope

from .simulated import random_rows


def test_slope_is_that_of_numpys_line():
    values = np.array([3.0, 1.0, 4.0, 1.0, 5.0])
    assert slope(values) == pytest.approx(np.polyfit(np.arange(5), values, 1)[0])
    assert slope(np.array([2.0])) == 0.0


def test_features_by_hand():
    """Units of 10 and 30 tokens: 40 in all, means weighted 1 to 3, slopes the difference."""
    found = _features([10, 30], [-0.2, -0.6], [0.4, 0.8])
    assert found == pytest.approx([40, -0.5, 0.7, 20, -0.4, 0.4])


def test_a_unit_without_tokens_is_left_out():
    assert _features([10, 0, 30], [-0.2, None, -0.6], [0.4, None, 0.8]) == pytest.approx(
        _features([10, 30], [-0.2, -0.6], [0.4, 0.8])
    )


def test_a_chain_without_units_has_no_score(make_cell):
    rows = random_rows(60)
    for name in ("unit_tokens", "unit_mean_logprobs", "unit_token_entropies"):
        rows[0][name] = []
    without = [not row["unit_tokens"] for row in rows]
    np.testing.assert_array_equal(np.isnan(prefix_scores(make_cell(rows))), without)


def test_each_score_comes_from_folds_without_the_question(make_cell):
    """Against a loop: standardised by, and fitted to, the other folds alone."""
    rows = [row for row in random_rows(120) if row["unit_tokens"]]
    cell = make_cell(rows)
    features = np.array(
        [
            _features(row["unit_tokens"], row["unit_mean_logprobs"], row["unit_token_entropies"])
            for row in rows
        ]
    )
    right = np.array([row["correct"] for row in rows])
    expected = np.empty(len(rows))
    folds = StratifiedKFold(5, shuffle=True, random_state=0)
    for train, test in folds.split(features, right):
        middle, scale = features[train].mean(axis=0), features[train].std(axis=0)
        model = LogisticRegression(C=1.0, max_iter=1000)
        model.fit((features[train] - middle) / scale, right[train])
        expected[test] = model.decision_function((features[test] - middle) / scale)
    np.testing.assert_allclose(prefix_scores(cell), expected, atol=1e-6)


def test_a_planted_dependence_is_learned(make_cell):
    """Right where the units' log-probability is high: nearly perfect ranking."""
    rows = [row for row in random_rows(200) if row["unit_tokens"]]
    for row in rows:
        means = row["unit_mean_logprobs"]
        row["correct"] = float(np.average(means, weights=row["unit_tokens"])) > -0.5
    cell = make_cell(rows)
    assert roc_auc_score(cell.correct, prefix_scores(cell)) > 0.95


def test_too_few_of_one_outcome_give_no_score(make_cell):
    rows = random_rows(40)
    for index, row in enumerate(rows):
        row["correct"] = index >= 3
    assert np.isnan(prefix_scores(make_cell(rows))).all()
