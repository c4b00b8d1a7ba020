"""Power of a planned replication: ReplicationSuccess's test values, and edges."""

from __future__ import annotations

import math

import pytest
from scipy import stats

from cot_entropy.plan.entries.replication import ReplicationParams
from cot_entropy.stats.replication.effects import Effect
from cot_entropy.stats.replication.power import Prior, criteria, design_prior, probability

PARAMS = ReplicationParams(small_power=1 / 3, null_prior_sd=1.0, evidence=3.0)
ORIGINAL_OF_THREE = Effect(estimate=3.0, error=1.0)


def chance(name: str, zo: float, ratio: float, prior: Prior, *, alpha: float) -> float:
    original = Effect(estimate=zo, error=1.0)
    truth = design_prior(original, prior)
    criterion = criteria(PARAMS, alpha=alpha, level=0.95)[name]
    return probability(criterion, original, truth, replication_error=1 / math.sqrt(ratio))


@pytest.mark.parametrize(
    ("zo", "ratio", "prior", "printed"),
    [
        (3, 0.5, "conditional", 0.621076958271),
        (2, 0.5, "conditional", 0.174118774024),
        (3, 0.5, "predictive", 0.599376841233),
        (3, 2.0, "conditional", 0.977226371859),
        (3, 2.0, "predictive", 0.875842012298),
        (2, 2.0, "predictive", 0.298600320185),
    ],
)
def test_sceptical_power_of_replication_success(
    zo: float, ratio: float, prior: Prior, printed: float
) -> None:
    """powerReplicationSuccess(level = 0.05, one-sided, nominal); ours halves alpha 0.10."""
    found = chance("sceptical_p_nominal", zo, ratio, prior, alpha=0.10)
    assert found == pytest.approx(printed, abs=0.006)


@pytest.mark.parametrize(
    ("zo", "ratio", "prior"), [(3, 1.0, "conditional"), (3, 2.0, "predictive"), (4, 0.5, "eb")]
)
def test_significance_power_by_arithmetic(zo: float, ratio: float, prior: Prior) -> None:
    """P(z_r > 1.96) with z_r normal: mean z sqrt(c), variance 1 + c times the prior's variance."""
    kept = 1 - 1 / zo**2
    mean, variance = {
        "conditional": (zo, 0.0), "predictive": (zo, 1.0), "eb": (kept * zo, kept)
    }[prior]  # fmt: skip
    spread = math.sqrt(1 + ratio * variance)
    expected = stats.norm.sf((1.959964 - mean * math.sqrt(ratio)) / spread)
    found = chance("significant_in_the_same_direction", zo, ratio, prior, alpha=0.05)
    assert found == pytest.approx(expected, abs=0.006)


def test_prediction_interval_holds_its_level_under_the_predictive_prior() -> None:
    """95 % by construction."""
    found = chance("replication_in_prediction_interval", 3, 2.0, "predictive", alpha=0.05)
    assert found == pytest.approx(0.95, abs=0.006)


def test_shrinkage_takes_a_share_off() -> None:
    """A quarter of 3."""
    truth = design_prior(ORIGINAL_OF_THREE, "conditional", shrinkage=0.25)
    assert (truth.mean, truth.spread) == (2.25, 0.0)


@pytest.mark.parametrize("z", [0.0, 0.5, 1.0])
def test_empirical_bayes_keeps_nothing_of_weak_evidence(z: float) -> None:
    """|z| of at most 1 shrinks to no effect."""
    truth = design_prior(Effect(estimate=z, error=1.0), "eb")
    assert (truth.mean, truth.spread) == (0.0, 0.0)


def test_an_original_that_is_not_significant_cannot_be_replicated() -> None:
    """Power 0 for significance, whatever the size."""
    assert chance("significant_in_the_same_direction", 1.5, 50.0, "conditional", alpha=0.05) == 0


@pytest.mark.parametrize("bad", [-0.1, 1.0, 2.0])
def test_shrinkage_in_range(bad: float) -> None:
    """More than the whole, or less than nothing, is refused."""
    with pytest.raises(ValueError, match="does not lie in"):
        design_prior(ORIGINAL_OF_THREE, "conditional", shrinkage=bad)
