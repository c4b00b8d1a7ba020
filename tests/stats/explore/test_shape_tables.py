"""The accuracy gap and the flag's AUROC, against plain loops and scikit-learn."""

import numpy as np
import pytest
from sklearn.metrics import roc_auc_score

from cot_entropy.stats.explore.shape_tables import ShapeTables


@pytest.fixture
def tables():
    rng = np.random.default_rng(4)
    return ShapeTables(
        rng.random((3, 50)) < 0.6, rng.random((3, 50)) < 0.7, rng.random((3, 50)) < 0.9
    )


@pytest.fixture
def weights():
    return np.random.default_rng(5).multinomial(50, np.full(50, 0.02), size=20).T.astype(float)


def test_gap_equals_weighted_means(tables, weights):
    """numpy.average of both groups in every resample, in percentage points."""
    found = tables.gap(weights)
    for k in range(3):
        yes = tables.included[k] & tables.monotone[k]
        no = tables.included[k] & ~tables.monotone[k]
        for b in range(weights.shape[1]):
            expected = np.average(tables.correct[k][yes], weights=weights[yes, b]) - np.average(
                tables.correct[k][no], weights=weights[no, b]
            )
            assert found[k, b] == pytest.approx(100 * expected)


def test_auroc_equals_sklearn(tables, weights):
    """The flag's AUROC from a 2x2 table is scikit-learn's."""
    _, found = tables.measure(weights)
    for k in range(3):
        kept = tables.included[k]
        for b in range(weights.shape[1]):
            expected = roc_auc_score(
                tables.correct[k][kept], tables.monotone[k][kept], sample_weight=weights[kept, b]
            )
            assert found[k, b] == pytest.approx(expected)


@pytest.mark.parametrize(
    ("monotone", "correct", "included", "reason"),
    [
        ([1, 1], [1, 0], [1, 1], "no non-monotone chain"),
        ([0, 0], [1, 0], [1, 1], "no monotone chain"),
        ([1, 0], [1, 0], [0, 0], "no question with a defined shape"),
        ([1, 0], [1, 1], [1, 1], "one outcome class"),
    ],
)
def test_reason_of_an_undefined_variant(monotone, correct, included, reason):
    """The reason names the empty group."""
    rows = [np.array([values], dtype=bool) for values in (monotone, correct, included)]
    assert ShapeTables(*rows).undefined(0) == reason
