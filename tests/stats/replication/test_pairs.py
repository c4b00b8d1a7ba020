"""Pairs of studies: every measure, and the edges that must be said."""

from __future__ import annotations

from pathlib import Path

import pytest

from cot_entropy.plan.entries.replication import Replication
from cot_entropy.plan.load import load_plan
from cot_entropy.plan.model import Estimand
from cot_entropy.stats.replication.effects import Effect, Scale
from cot_entropy.stats.replication.pairs import replication_rows
from cot_entropy.stats.replication.published_effects import StudyEffect
from cot_entropy.stats.replication.rows import THIS_RUN, ReplicationRow
from cot_entropy.stats.replication.table import published_table

PLAN = Path(__file__).parents[3] / "preregistration" / "plan.yaml"
CELL = "qwen2.5-7b/gsm8k"


def study(
    source: str,
    estimate: float,
    error: float = 1.0,
    *,
    estimand: Estimand = "accuracy_gap_pp",
    scale: Scale = "accuracy_gap_pp",
) -> StudyEffect:
    return StudyEffect(
        study=source, source=source, cell=CELL, design="matched", n=100, estimand=estimand,
        scale=scale, effect=Effect(estimate=estimate, error=error), basis="counts",
    )  # fmt: skip


def rows_of(*effects: StudyEffect) -> dict[str, ReplicationRow]:
    plan = load_plan(PLAN).plan
    entry = next(one for one in plan.exploratory if isinstance(one, Replication))
    return {row.quantity: row for row in replication_rows(plan, entry.params, effects)}


def test_a_clear_replication_meets_every_criterion() -> None:
    """Equal effects of ten errors."""
    found = rows_of(study("a", 10.0), study("b", 10.0))
    assert all(row.met is not False for row in found.values())
    assert sum(row.met is True for row in found.values()) == 8


def test_opposite_signs_fail() -> None:
    """Significant the other way: only an interval as wide could hold it, and none is."""
    found = rows_of(study("a", 5.0), study("b", -5.0))
    failed = {name for name, row in found.items() if row.met is False}
    assert failed == {
        "significant_in_the_same_direction", "original_in_replication_interval",
        "replication_in_prediction_interval", "difference", "small_telescopes",
        "sceptical_p_nominal", "sceptical_p_golden", "replication_bayes_factor",
    }  # fmt: skip
    assert (found["sceptical_p_nominal"].p_value or 0) > 0.5


def test_original_that_is_not_significant() -> None:
    """There is no finding to replicate: the first criterion is undefined, and says so."""
    row = rows_of(study("a", 1.0), study("b", 5.0))["significant_in_the_same_direction"]
    assert row.met is None
    assert "not significant" in row.reason


def test_original_of_zero() -> None:
    """No direction: small telescopes are undefined, the sceptical p is one half."""
    found = rows_of(study("a", 0.0), study("b", 5.0))
    assert found["small_telescopes"].met is None
    assert found["sceptical_p_golden"].p_value == pytest.approx(0.5)


def test_replication_of_zero() -> None:
    """A replication at exactly no effect fails, with p one half."""
    found = rows_of(study("a", 5.0), study("b", 0.0))
    assert found["significant_in_the_same_direction"].met is False
    assert found["sceptical_p_nominal"].p_value == pytest.approx(0.5)


def test_the_earlier_source_is_the_original() -> None:
    """Order of sources decides, and our run is always the later."""
    found = rows_of(study("Z26", 5.0), study(THIS_RUN, 4.0))
    assert found["original_effect"].original == "Z26"
    assert found["original_effect"].replication == THIS_RUN


def test_null_claim_is_judged_by_equivalence_only() -> None:
    """Not significant in both is said and is no criterion; the bounds decide."""
    small = {"estimand": "rho_coherence", "scale": "atanh_rho"}
    found = rows_of(study("a", 0.0, 0.1, **small), study("b", 0.0, 0.02, **small))  # type: ignore[arg-type]
    assert found["significance"].met is None
    assert "says nothing" in found["significance"].reason
    assert found["original_equivalence"].met is False
    assert found["replication_equivalence"].met is True
    assert found["null_in_both"].met is False
    assert "sceptical_p_golden" not in found


def test_a_study_alone_is_named() -> None:
    """What only one source prints has no pair, and is not left out in silence."""
    found = rows_of(study("Z26", 5.0))
    assert "only Z26 prints accuracy_gap_pp" in found["unpaired_effect"].reason


def test_odds_ratios_are_shown_as_such() -> None:
    """A log odds ratio of log 2 beside log 4: 2, 4, and their ratio 2."""
    log = {"scale": "log_odds_ratio"}
    found = rows_of(study("a", 0.693147, 0.1, **log), study("b", 1.386294, 0.1, **log))  # type: ignore[arg-type]
    assert found["original_effect"].estimate == pytest.approx(2, abs=1e-5)
    assert found["difference"].estimate == pytest.approx(2, abs=1e-5)


def test_published_studies_against_each_other() -> None:
    """Z26 against R26 on GSM8K: the printed 9.6 lies inside the prediction interval of 11.5."""
    rows = published_table(PLAN)
    (row,) = [
        one
        for one in rows
        if (one.original, one.replication, one.scale, one.quantity)
        == ("z26-full-gsm8k", "r26-gsm8k", "accuracy_gap_pp", "replication_in_prediction_interval")
    ]
    assert row.met is True
    assert (row.ci_low or 99) < 9.6 < (row.ci_high or 0)
    assert not any(one.id == "E15" for one in rows)
