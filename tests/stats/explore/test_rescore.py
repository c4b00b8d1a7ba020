"""A rescored cell: the cell itself under the registered rule, and by hand under the others."""

import numpy as np
import pytest

from cot_entropy.stats.explore.rescore import Samples, majority, rescored
from cot_entropy.stats.explore.signals import scores

from .simulated import EPS, SIGNAL_NAMES, M, random_rows, row_of


@pytest.fixture
def rng():
    return np.random.default_rng(0)


@pytest.mark.parametrize("name", [name for name in SIGNAL_NAMES if name != "final_confidence"])
def test_all_samples_and_the_registered_rule_give_the_cell_back(cell, name):
    """Signals computed from classes equal those stored, which the simulation took from scipy."""
    again = rescored(cell, Samples.of(cell, M), eps=EPS)
    np.testing.assert_allclose(scores(again, name), scores(cell, name), atol=1e-11)


def test_confidence_is_given_back_where_any_sample_answers(cell):
    """It is undefined where all m fail: no answer has a share."""
    found = scores(rescored(cell, Samples.of(cell, M), eps=EPS), "final_confidence")
    answered = ~np.isnan(cell.final_entropy)
    np.testing.assert_allclose(found[answered], scores(cell, "final_confidence")[answered])
    assert np.isnan(found[~answered]).all()


def test_all_samples_give_the_outcome_back(cell):
    """The majority by a plain loop over each question's final answers."""
    again = rescored(cell, Samples.of(cell, M), eps=EPS)
    np.testing.assert_array_equal(again.correct, cell.correct)


@pytest.mark.parametrize(
    ("rule", "right", "share"),
    [("shared_class", False, 0.4), ("drop", True, 2 / 3), ("singleton", True, 0.4)],
)
def test_majority_by_rule(make_cell, rng, rule, right, share):
    """-1 -1 0 0 1 with 0 right: `no answer` wins the tie, seen first; else the 0s win."""
    samples = Samples.of(make_cell([row_of(0, [[-1, -1, 0, 0, 1]], rng)]), M)
    found, confidence = majority(samples, rule)
    assert found.tolist() == [right]
    assert confidence[0] == pytest.approx(share)


@pytest.mark.parametrize("rule", ["shared_class", "drop", "singleton"])
def test_no_answer_at_all_is_wrong_and_without_confidence(make_cell, rng, rule):
    """All m fail at the last prefix: wrong under each rule, share undefined."""
    found, confidence = majority(Samples.of(make_cell([row_of(0, [[-1] * M], rng)]), M), rule)
    assert not found[0]
    assert np.isnan(confidence[0])


def test_tie_goes_to_the_answer_seen_first(make_cell, rng):
    """1 0 0 1 2: two classes of two, the 1s came first."""
    found, _ = majority(Samples.of(make_cell([row_of(0, [[1, 0, 0, 1, 2]], rng)]), M), "drop")
    assert not found[0]


def test_subset_takes_the_same_indices_at_every_prefix(make_cell, rng):
    """Samples 0 and 2 of each prefix: agreement, disagreement, agreement: one violation."""
    clusters = [[0, 1, 0, 1, 2], [0, 1, 3, 1, 2], [0, 1, 0, 1, 2]]
    cell = make_cell([row_of(0, clusters, rng)])
    again = rescored(cell, Samples.of(cell, M).take([0, 2]), eps=EPS)
    np.testing.assert_allclose(again.entropies, [[0, np.log(2), 0]])
    assert again.violations.tolist() == [1]


def test_other_number_of_samples_is_refused(cell):
    """The plan's m and the file's must agree."""
    with pytest.raises(ValueError, match="5 samples at prefix 0, not 4"):
        Samples.of(cell, 4)


def test_null_clusters_leave_a_question_undefined(make_cell):
    """A question without stored classes has no entropy and no shape."""
    rows = random_rows(3)
    rows[1]["answer_clusters"] = None
    cell = make_cell(rows)
    again = rescored(cell, Samples.of(cell, M), eps=EPS)
    assert np.isnan(again.entropies[1]).all()
    assert not again.shape_defined[1]
