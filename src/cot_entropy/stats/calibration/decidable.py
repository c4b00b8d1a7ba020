"""What the registered design can decide: the true effects that it finds with 80 % power."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import groupby
from typing import Final, Literal

from cot_entropy.plan.model import Plan
from cot_entropy.stats.calibration.power import WANTED, PowerRow

DECIMALS: Final = 3
"""True effects are solved for, so that equal ones agree to so many decimals."""


@dataclass(frozen=True, kw_only=True)
class DecidableRow:
    """One true effect at one n, over the settings (accuracy and flag rate) that allow it.

    `hypotheses` share the estimand and its rule. `decided` of `settings` reach 80 % power with
    the p-value unadjusted, `decided_first_step` with Holm's first step over the most cells.
    `power_least` and `power_most` are unadjusted. `effect` is in the estimand's unit.
    """

    hypotheses: str
    estimand: str
    n: int
    verdict: Literal["supported", "refuted"]
    effect: float
    settings: int
    decided: int
    decided_first_step: int
    power_least: float
    power_most: float


def decidable_rows(power: Iterable[PowerRow], plan: Plan) -> Iterator[DecidableRow]:
    """Sum up the rows of power over their settings, in the plan's order, the largest n first."""
    order: dict[str, int] = {}
    for index, one in enumerate(plan.hypotheses):
        order.setdefault(one.estimand, index)

    def key(row: PowerRow) -> tuple[int, int, bool, float, float]:
        effect = round(row.effect, DECIMALS)
        return order[row.estimand], -row.n, row.verdict == "refuted", abs(effect), effect

    claims = (row for row in power if row.effect or row.estimand != "accuracy_gap_pp")
    for _, group in groupby(sorted(claims, key=key), key=key):
        rows = list(group)
        powers = [row.power for row in rows]
        ids = [one.id for one in plan.hypotheses if one.estimand == rows[0].estimand]
        yield DecidableRow(
            hypotheses=" ".join(ids),
            estimand=rows[0].estimand,
            n=rows[0].n,
            verdict=rows[0].verdict,
            effect=round(rows[0].effect, DECIMALS),
            settings=len(rows),
            decided=sum(one >= WANTED for one in powers),
            decided_first_step=sum(row.power_first_step >= WANTED for row in rows),
            power_least=min(powers),
            power_most=max(powers),
        )
