"""From intervals and p-values to the registered verdict words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from statsmodels.stats.multitest import multipletests

from cot_entropy.base.errors import PlanError
from cot_entropy.plan.model import Bounds, Rule
from cot_entropy.stats.intervals import Bracket
from cot_entropy.stats.rows import Verdict

Reading = Literal["supported", "refuted", "inconclusive"]


def read_rule(
    rule: Rule, bounds: Bounds, *, supported: Bracket | None, refuted: Bracket | None
) -> Reading:
    """What the rule says of the deciding interval at the level of either verdict.

    Bounds are open: an interval that touches its bound decides nothing. Raises PlanError where
    the rule lacks its bound (a loaded plan never does).
    """
    if supported is None or refuted is None:
        return "inconclusive"
    if rule == "within":
        if bounds.low is None or bounds.high is None:
            raise PlanError("rule `within` needs the bounds `low` and `high`")
        inside = bounds.low < supported.low and supported.high < bounds.high
        outside = refuted.high < bounds.low or bounds.high < refuted.low
        return "supported" if inside else "refuted" if outside else "inconclusive"
    if bounds.threshold is None:
        raise PlanError(f"rule `{rule}` needs the bound `threshold`")
    if rule == "above":
        holds, fails = supported.low > bounds.threshold, refuted.high < bounds.threshold
    else:
        holds, fails = supported.high < bounds.threshold, refuted.low > bounds.threshold
    return "supported" if holds else "refuted" if fails else "inconclusive"


def holm(p_values: Sequence[float | None]) -> list[float | None]:
    """Holm-adjusted p-values (statsmodels); None, a cell without one, counts as p = 1."""
    if not p_values:
        return []
    filled = [1.0 if p is None else p for p in p_values]
    adjusted = multipletests(filled, method="holm")[1]
    return [
        None if given is None else float(value)
        for given, value in zip(p_values, adjusted, strict=True)
    ]


def decide(reading: Reading, p_holm: float | None, *, alpha: float) -> tuple[Verdict, str]:
    """The verdict and why: support needs the interval rule and an adjusted p below alpha."""
    if reading != "supported":
        why = "the interval decides nothing" if reading == "inconclusive" else "by the interval"
        return reading, why
    if p_holm is None or p_holm >= alpha:
        return "inconclusive", f"the interval supports, the adjusted p is not below {alpha:g}"
    return "supported", f"by the interval, and the adjusted p is below {alpha:g}"
