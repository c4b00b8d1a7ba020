"""Effects of the published studies, rebuilt from what they print."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from cot_entropy.stats.published.model import Study, load_published
from cot_entropy.stats.replication.published_effects import StudyEffect, published_effects
from cot_entropy.stats.replication.simulated_errors import (
    coherence_error,
    rho_error,
    violations_error,
)
from cot_entropy.stats.two_by_two import TwoByTwo

PUBLISHED = Path(__file__).parents[3] / "preregistration" / "published.yaml"


@pytest.fixture(scope="module")
def found() -> dict[tuple[str, str], StudyEffect]:
    effects = published_effects(load_published(PUBLISHED).studies)
    return {(one.study, f"{one.estimand} {one.scale}"): one for one in effects}


def effect_of(one: StudyEffect) -> tuple[float, float]:
    assert one.effect is not None
    return one.effect.estimate, one.effect.error


def test_full_gsm8k_from_its_counts(found: dict[tuple[str, str], StudyEffect]) -> None:
    """837 of 898 v 344 of 421: gap 11.5 and Wald's error by hand."""
    one = found["z26-full-gsm8k", "accuracy_gap_pp accuracy_gap_pp"]
    first, second = 837 / 898, 344 / 421
    error = math.sqrt(first * (1 - first) / 898 + second * (1 - second) / 421)
    assert effect_of(one) == pytest.approx((100 * (first - second), 100 * error))
    assert one.basis == "counts"


def test_pilot_odds_ratio(found: dict[tuple[str, str], StudyEffect]) -> None:
    """152 of 221 v 37 of 79: the printed odds ratio 2.50, Woolf's error by hand."""
    estimate, error = effect_of(found["z26-pilot", "accuracy_gap_pp log_odds_ratio"])
    assert math.exp(estimate) == pytest.approx(2.50, abs=0.005)
    assert error == pytest.approx(math.sqrt(1 / 152 + 1 / 69 + 1 / 37 + 1 / 42))


def test_several_tables_give_the_widest_error(found: dict[tuple[str, str], StudyEffect]) -> None:
    """Mistral's flag rate is not printed: said, with how many tables fit."""
    one = found["z26-mistral", "accuracy_gap_pp accuracy_gap_pp"]
    assert "4 tables fit the print: the widest error" in one.note


@pytest.mark.parametrize("study", ["r26-gsm8k", "r26-math500"])
def test_a_gap_without_groups_is_an_approximation(
    study: str, found: dict[tuple[str, str], StudyEffect]
) -> None:
    """R26 prints its gap alone: the estimate is its own, the error is marked as approximate."""
    one = found[study, "accuracy_gap_pp accuracy_gap_pp"]
    printed = {"r26-gsm8k": 9.6, "r26-math500": 27.5}[study]
    assert effect_of(one)[0] == pytest.approx(printed)
    assert one.basis == "approximation"
    assert "R26 prints neither flag rate nor group accuracies" in one.note


def test_rho_without_an_accuracy_is_an_approximation(
    found: dict[tuple[str, str], StudyEffect],
) -> None:
    """R26 prints no accuracy on GSM8K: 1/sqrt(1316), labelled."""
    one = found["r26-gsm8k", "rho_coherence atanh_rho"]
    assert effect_of(one)[1] == pytest.approx(1 / math.sqrt(1316))
    assert one.basis == "approximation"


def test_rho_with_an_accuracy_is_simulated(found: dict[tuple[str, str], StudyEffect]) -> None:
    """R26 on MATH-500: rho 0.414, its error near that of atanh of a correlation at n = 500."""
    one = found["r26-math500", "rho_coherence atanh_rho"]
    estimate, error = effect_of(one)
    assert math.tanh(estimate) == pytest.approx(0.414)
    assert one.basis == "simulated"
    assert error == pytest.approx(1 / math.sqrt(500), rel=0.15)


def test_without_an_effect_the_error_is_that_of_any_ranks() -> None:
    """Independent signal and outcome: rho's variance is 1/(n - 1), whatever the margins."""
    assert coherence_error(400, 0.7, 0.0) == pytest.approx(1 / math.sqrt(399), rel=0.04)


def test_simulated_error_is_the_spread_of_scipys_rho() -> None:
    """Studies drawn here and ranked by scipy spread as much."""
    shares = np.array([0.5, 0.15, 0.05, 0.1, 0.1, 0.1])
    rng = np.random.default_rng(1)
    values = []
    for _ in range(600):
        drawn = rng.choice(6, p=shares, size=300)
        values.append(math.atanh(stats.spearmanr(drawn % 3, drawn < 3).statistic))
    assert rho_error(shares, 300) == pytest.approx(np.std(values), rel=0.1)


@pytest.mark.parametrize("rho", [0.9, -0.95])
def test_a_rho_out_of_reach_has_no_simulated_error(rho: float) -> None:
    """Groups that allow no such correlation: none, not the nearest."""
    assert violations_error(TwoByTwo.of((837, 61, 344, 77)), rho) is None


def test_study_that_prints_nothing_has_no_effects() -> None:
    """A flag rate alone is no effect."""
    study = Study.model_validate(
        {
            "id": "x", "source": "R26", "cell": "m/d", "matched": ["model"], "n": 100,
            "figures": [{"quantity": "flag_rate_percent", "printed": "1"}],
        }
    )  # fmt: skip
    assert published_effects([study]) == []
