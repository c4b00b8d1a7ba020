"""Fixed-effect combination: against statsmodels and arithmetic."""

from __future__ import annotations

import numpy as np
import pytest
from statsmodels.stats.meta_analysis import combine_effects

from cot_entropy.stats.replication.combined import fixed_effect
from cot_entropy.stats.replication.effects import Effect

CASES = [
    [(2.0, 1.0), (0.5, 0.5)],
    [(0.385698718807712, 0.123091490979333), (0.0496313025904017, 0.0657951694959769)],
    [(-1.0, 0.3), (1.0, 0.3), (0.2, 2.0)],
]


@pytest.mark.parametrize("case", CASES)
def test_as_statsmodels(case: list[tuple[float, float]]) -> None:
    """combine_effects has the same fixed-effect mean and standard error."""
    theirs = combine_effects(*np.array([(one, error**2) for one, error in case]).T)
    found = fixed_effect([Effect(estimate=one, error=error) for one, error in case])
    assert found.estimate == pytest.approx(theirs.mean_effect_fe)
    assert found.error == pytest.approx(theirs.sd_eff_w_fe)


def test_equal_errors_give_the_mean() -> None:
    """Two studies of error 1: the mean, error 1/sqrt 2."""
    found = fixed_effect([Effect(estimate=1, error=1), Effect(estimate=2, error=1)])
    assert (found.estimate, found.error) == pytest.approx((1.5, 2**-0.5))


def test_one_study_is_itself() -> None:
    """Nothing to combine."""
    assert fixed_effect([Effect(estimate=1, error=0.4)]) == Effect(estimate=1, error=0.4)
