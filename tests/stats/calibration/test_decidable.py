"""Which true effects the design decides, summed up over settings."""

from __future__ import annotations

from pathlib import Path

from cot_entropy.plan.load import load_plan
from cot_entropy.stats.calibration.decidable import DecidableRow, decidable_rows
from cot_entropy.stats.calibration.power import PowerRow

PLAN = load_plan(Path(__file__).parents[3] / "preregistration/plan.yaml").plan


def power(
    effect: float, power: float, first: float, *, estimand: str = "accuracy_gap_pp", n: int = 500
) -> PowerRow:
    return PowerRow(
        estimand=estimand,
        n=n,
        accuracy=0.6,
        flag_rate=0.3,
        effect=effect,
        verdict="supported",
        power=power,
        power_first_step=first,
        method="by hand",
    )


def test_settings_of_one_effect_are_summed_up() -> None:
    """Three settings at 10 points: two reach 80 %, one of them in Holm's first step."""
    rows = [power(10.0, 0.9, 0.85), power(10.0, 0.8, 0.6), power(10.0, 0.4, 0.2)]
    assert list(decidable_rows(rows, PLAN)) == [
        DecidableRow(
            hypotheses="H1 H4a",
            estimand="accuracy_gap_pp",
            n=500,
            verdict="supported",
            effect=10.0,
            settings=3,
            decided=2,
            decided_first_step=1,
            power_least=0.4,
            power_most=0.9,
        )
    ]


def test_rows_stand_in_the_plans_order_then_by_size_and_effect() -> None:
    """H1 before H2; the larger n first; the smaller effect first."""
    rows = [
        power(0.0, 0.5, 0.5, estimand="rho_coherence"),
        power(10.0, 0.5, 0.5),
        power(5.0, 0.5, 0.5),
        power(10.0, 0.5, 0.5, n=1319),
    ]
    found = [(row.hypotheses, row.n, row.effect) for row in decidable_rows(rows, PLAN)]
    assert found == [
        ("H1 H4a", 1319, 10.0),
        ("H1 H4a", 500, 5.0),
        ("H1 H4a", 500, 10.0),
        ("H2", 500, 0.0),
    ]


def test_no_gap_is_no_claim_to_decide() -> None:
    """Power at a gap of 0 is the rate of false support; rho = 0 is what H2 claims."""
    rows = [power(0.0, 0.02, 0.01), power(0.0, 0.9, 0.8, estimand="rho_coherence")]
    assert [row.estimand for row in decidable_rows(rows, PLAN)] == ["rho_coherence"]


def test_effects_that_differ_in_rounding_are_one() -> None:
    """A slope is solved for the wanted rho."""
    rows = [power(-0.2, 0.9, 0.9, estimand="rho_violations")]
    rows.append(power(-0.199999999, 0.7, 0.7, estimand="rho_violations"))
    (row,) = decidable_rows(rows, PLAN)
    assert (row.effect, row.settings, row.decided) == (-0.2, 2, 1)
