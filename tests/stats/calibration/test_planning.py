"""What a planned study would find: against the exact design, arithmetic and bounds."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from cot_entropy.base.errors import ConfigError
from cot_entropy.plan.load import load_plan
from cot_entropy.stats.calibration.planning import PlannedStudy, gap_error, verdicts
from cot_entropy.stats.calibration.success import plan_replication
from cot_entropy.stats.replication.power import TrueEffect

PLAN = Path(__file__).parents[3] / "preregistration" / "plan.yaml"
SMALL = PlannedStudy(questions=200, accuracy=0.6, flag_rate=0.5, cells=6)


def chances(planned: PlannedStudy, gap: float) -> dict[str, float]:
    plan = load_plan(PLAN).plan
    truth = TrueEffect(mean=gap, spread=0.0)
    return verdicts(planned, truth, plan=plan, hypothesis=plan.hypotheses[0])


def test_verdicts_by_simulation() -> None:
    """Fisher below 0.05 and Agresti and Caffo's interval above 0, counted over drawn studies."""
    rng = np.random.default_rng(1)
    supported = []
    for _ in range(2000):
        a, b = rng.binomial(100, 0.7), rng.binomial(100, 0.5)
        p = stats.fisher_exact([[a, 100 - a], [b, 100 - b]]).pvalue
        first, second = (a + 1) / 102, (b + 1) / 102
        error = np.sqrt(first * (1 - first) / 102 + second * (1 - second) / 102)
        supported.append(p < 0.05 and first - second > 1.959964 * error)
    assert chances(SMALL, 20.0)["supported, unadjusted"] == pytest.approx(
        np.mean(supported), abs=0.03
    )


@pytest.mark.parametrize("gap", [0.0, 10.0, -20.0])
def test_verdicts_sum_to_one(gap: float) -> None:
    """Supported, refuted, inconclusive and not assessable leave nothing out."""
    found = chances(SMALL, gap)
    parts = ("supported, unadjusted", "refuted", "inconclusive, unadjusted", "not assessable")
    assert sum(found[name] for name in parts) == pytest.approx(1)


def test_false_support_is_below_its_level() -> None:
    """No gap: at most 2.5 %, and less in Holm's first step."""
    found = chances(SMALL, 0.0)
    assert found["supported, Holm's first step"] < found["supported, unadjusted"] < 0.025


def test_a_group_too_small_is_not_assessable() -> None:
    """Ten monotone chains of 200: never assessable."""
    few = PlannedStudy(questions=200, accuracy=0.6, flag_rate=0.05, cells=6)
    assert chances(few, 20.0)["not assessable"] == pytest.approx(1)


def test_error_of_the_gap_is_walds() -> None:
    """Two groups of 100 at 0.7 and 0.5."""
    assert gap_error(SMALL, 20.0) == pytest.approx(100 * np.sqrt(0.21 / 100 + 0.25 / 100))


def test_sizes_rise_with_the_chance_wanted() -> None:
    """90 % needs more questions than 80 %, Holm's first step more than none."""
    rows = {
        row.outcome: row
        for row in plan_replication(PLAN, "z26-full-math500", questions=200, prior="conditional")
    }
    plain, first = rows["supported, unadjusted"], rows["supported, Holm's first step"]
    assert (plain.questions_80 or 0) < (plain.questions_90 or 0)
    assert (plain.questions_80 or 0) < (first.questions_80 or 0)
    assert rows["replication_in_prediction_interval"].questions_80 is None


@pytest.mark.parametrize(
    ("study", "more", "message"),
    [
        ("nobody", {}, "--original: `nobody` is no study with a gap: z26-full-gsm8k"),
        ("r26-gsm8k", {}, "r26-gsm8k prints no counts: give --accuracy and --flag-rate"),
    ],
)
def test_what_cannot_be_planned_is_said(study: str, more: dict[str, float], message: str) -> None:
    """One line that names the option."""
    with pytest.raises(ConfigError, match=message):
        plan_replication(PLAN, study, **more)  # type: ignore[arg-type]
