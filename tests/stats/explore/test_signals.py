"""Signals: orientation, missing values, and one place for each."""

import numpy as np
import pandas as pd

from cot_entropy.stats.explore.signals import SIGNALS, scores

from .simulated import SIGNAL_NAMES


def test_every_signal_of_the_plan_has_one_source():
    """The plan's names and the mapping are the same set."""
    assert set(SIGNALS) == set(SIGNAL_NAMES)


def test_mean_entropy_is_over_defined_prefixes(cell):
    """Against pandas' mean, which skips missing values."""
    expected = -cell.frame["entropies"].map(lambda h: pd.Series(h, dtype=float).mean()).to_numpy()
    np.testing.assert_allclose(scores(cell, "mean_entropy"), expected, atol=1e-9)


def test_shape_flag_is_missing_where_the_shape_is(cell):
    """No shape, no score: never counted as non-monotone."""
    found = np.isnan(scores(cell, "shape_flag"))
    assert found.any()
    np.testing.assert_array_equal(found, cell.frame["monotone"].isna().to_numpy())


def test_scores_are_never_minus_zero(cell):
    """A negated 0 is 0."""
    for name in SIGNAL_NAMES:
        values = scores(cell, name)
        assert not np.signbit(values[values == 0]).any()
