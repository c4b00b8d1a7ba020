"""Each published figure against what the paper's own figures imply.

published.yaml stores what these functions give; the tests compare the two.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

import numpy as np
from scipy import stats
from statsmodels.stats.proportion import proportion_confint
from tests.stats.published.implied import (
    later_violations_fit,
    mean_range,
    other_p_values,
    ratio_range,
    rho_p,
)

from cot_entropy.stats.published.counts import Printed, counts_of, every, one
from cot_entropy.stats.published.model import Figure, Outcome, Quantity, Study
from cot_entropy.stats.two_by_two import TwoByTwo, fisher_p, gap_interval, gap_of


@dataclass(frozen=True, kw_only=True)
class Check:
    """Whether a figure agrees with its study's other figures, and the range those imply."""

    outcome: Outcome
    low: float | None = None
    high: float | None = None
    note: str = ""


def number(figure: Figure) -> Printed:
    """A figure with its rounding."""
    return Printed(figure.printed)


def check(figure: Figure, study: Study, fitting: Sequence[TwoByTwo]) -> Check:
    """Check one figure of a study whose fitting tables are given."""
    quantity = figure.quantity
    if quantity in _INPUTS:
        return _check_input(study, fitting)
    if quantity in _FROM_TABLE and fitting:
        return _check_table(figure, fitting)
    if quantity == "accuracy_percent":
        return _check_accuracy(figure, study)
    if quantity in _FROM_FIGURES:
        return _FROM_FIGURES[quantity](figure, study)
    if quantity in {"accuracy_1_violation_percent", "accuracy_2_violations_percent"}:
        return _check_violations(study, fitting)
    return NOT_CHECKABLE


NOT_CHECKABLE: Final = Check(
    outcome="not checkable", note="the paper prints no counts, and too few figures to find them"
)

_INPUTS: Final[frozenset[Quantity]] = frozenset(
    {"accuracy_monotone_percent", "accuracy_non_monotone_percent", "flag_rate_percent"}
)


def _gap(table: TwoByTwo) -> float:
    gap = gap_of(table)
    if gap is None:
        raise ValueError("a printed accuracy supposes a chain in its group")
    return gap


def _odds_ratio(table: TwoByTwo) -> float:
    """The cross-product ratio; infinite where a printed accuracy of 0 or 100 % makes it so."""
    below = table.wrong_monotone * table.right_other
    return table.right_monotone * table.wrong_other / below if below else float("inf")


def _accuracy(table: TwoByTwo) -> float:
    return 100 * table.right / (table.right + table.wrong)


def _monotone_accuracy(table: TwoByTwo) -> float:
    return 100 * table.right_monotone / table.monotone


_FROM_TABLE: Final[Mapping[Quantity, Callable[[TwoByTwo], float]]] = MappingProxyType(
    {
        "accuracy_gap_pp": _gap,
        "odds_ratio": _odds_ratio,
        "fisher_p": fisher_p,
        "accuracy_percent": _accuracy,
        "accuracy_0_violations_percent": _monotone_accuracy,
        "shape_flag_selective_gain_pp": lambda table: _monotone_accuracy(table) - _accuracy(table),
    }
)


def _describe(table: TwoByTwo) -> str:
    return f"{table.right_monotone}/{table.monotone} v {table.right_other}/{table.other} right"


def _check_input(study: Study, fitting: Sequence[TwoByTwo]) -> Check:
    if one(study, "accuracy_monotone_percent") is None:
        return NOT_CHECKABLE
    if not fitting:
        note = f"no table of {study.n} chains gives the printed percentages"
        return Check(outcome="differs", note=note)
    return Check(outcome="agrees", note=_count_note(fitting))


def _count_note(fitting: Sequence[TwoByTwo]) -> str:
    if len(fitting) == 1:
        return f"the one table that fits: {_describe(fitting[0])}"
    return f"{len(fitting)} tables fit, from {_describe(fitting[0])} to {_describe(fitting[-1])}"


def _check_table(figure: Figure, fitting: Sequence[TwoByTwo]) -> Check:
    values = [_FROM_TABLE[figure.quantity](table) for table in fitting]
    finite = [value for value in values if value != float("inf")]
    agreeing = [table for table, value in zip(fitting, values, strict=True) if _fits(figure, value)]
    note = _count_note(fitting)
    if agreeing and len(fitting) > 1:
        note = f"{note}; agreeing: {len(agreeing)} of {len(fitting)}"
    if not agreeing and figure.quantity == "fisher_p":
        note = f"{note}; {_explain_p(figure, fitting)}"
    return Check(
        outcome="agrees" if agreeing else "differs",
        low=min(finite, default=None),
        high=max(finite, default=None),
        note=note,
    )


def _fits(figure: Figure, value: float) -> bool:
    return number(figure).fits(value)


def _explain_p(figure: Figure, fitting: Sequence[TwoByTwo]) -> str:
    """Which other tests give the printed p from these counts."""
    named = {
        f"{other.name} {other.value:.2g}"
        for table in fitting
        for other in other_p_values(table)
        if _fits(figure, other.value)
    }
    if not named:
        return "no one-sided Fisher or uncorrected chi-square p from them agrees either"
    return f"the printed p is compatible with {' and '.join(sorted(named, reverse=True))}"


def _check_accuracy(figure: Figure, study: Study) -> Check:
    """Whether a whole number of the study's n answers rounds to the printed percentage."""
    counts = counts_of(study.n, number(figure))
    if counts:
        return Check(outcome="agrees", note=f"{counts[0]} of {study.n} rounds to it")
    fewer = next(n for n in range(study.n, 0, -1) if counts_of(n, number(figure)))
    right = counts_of(fewer, number(figure))[0]
    note = (
        f"no whole number of {study.n} answers rounds to it; the largest smaller sample that has "
        f"one is {fewer} ({right} right)"
    )
    return Check(outcome="differs", note=note)


def _check_violations(study: Study, fitting: Sequence[TwoByTwo]) -> Check:
    first = one(study, "accuracy_1_violation_percent")
    second = one(study, "accuracy_2_violations_percent")
    if first is None or second is None or not fitting:
        return NOT_CHECKABLE
    ways = [
        way
        for table in fitting
        for way in later_violations_fit(table.other, table.right_other, first, second)
    ]
    if not ways:
        note = "no split of the non-monotone chains into one and two violations gives both"
        return Check(outcome="differs", note=f"{note}; chains with three or more are not printed")
    size, right, later, later_right = ways[0]
    note = (
        f"a split without chains of three or more violations fits: {right}/{size} right with one, "
        f"{later_right}/{later} with two"
    )
    return Check(outcome="agrees", note=note)


def _within(figure: Figure, implied: tuple[float, float], note: str) -> Check:
    agrees = number(figure).meets(implied)
    low, high = implied
    return Check(outcome="agrees" if agrees else "differs", low=low, high=high, note=note)


def _check_rho_p(figure: Figure, study: Study) -> Check:
    rho = one(study, "rho_coherence")
    if rho is None:
        return NOT_CHECKABLE
    note = f"from rho {rho.text} and n = {study.n} by the t approximation"
    return _within(figure, rho_p(rho, study.n), note)


def _check_mean_gap(figure: Figure, study: Study) -> Check:
    gaps = every(study, "seed_gap_pp")
    if not gaps:
        return NOT_CHECKABLE
    return _within(figure, mean_range(gaps), f"mean of the {len(gaps)} printed gaps")


def _check_share(figure: Figure, study: Study) -> Check:
    part, whole = one(study, "two_transitions_gap_pp"), one(study, "accuracy_gap_pp")
    if part is None or whole is None:
        return NOT_CHECKABLE
    return _within(figure, ratio_range(part, whole), f"{part.text} of {whole.text} points")


_FROM_FIGURES: Final[Mapping[Quantity, Callable[[Figure, Study], Check]]] = MappingProxyType(
    {
        "rho_coherence_p": _check_rho_p,
        "mean_seed_gap_pp": _check_mean_gap,
        "two_transitions_share_percent": _check_share,
    }
)


def published_interval(
    figure: Figure, study: Study, fitting: Sequence[TwoByTwo], level: float
) -> tuple[float, float] | None:
    """The interval of a published figure that its counts give; None where they give none.

    Where several tables fit the printed figures, the interval that holds all of theirs.
    """
    value, quantity = number(figure).value, figure.quantity
    if quantity in {"rho_coherence", "rho_violations"}:
        brackets = [bonett_wright(value, study.n, level=level)]
    elif quantity == "accuracy_percent":
        counts = counts_of(study.n, number(figure))
        brackets = [_wilson(count, study.n, level) for count in counts]
    else:
        brackets = [
            bracket
            for table in fitting
            if (bracket := _from_table(quantity, table, level)) is not None
        ]
    if not brackets:
        return None
    return min(low for low, _ in brackets), max(high for _, high in brackets)


def _from_table(quantity: Quantity, table: TwoByTwo, level: float) -> tuple[float, float] | None:
    if quantity == "accuracy_gap_pp":
        cells = table.array.ravel().astype(np.float64)
        low, high = gap_interval(*cells, method="newcombe", level=level)
        return float(low), float(high)
    if quantity in {"accuracy_monotone_percent", "accuracy_0_violations_percent"}:
        return _wilson(table.right_monotone, table.monotone, level)
    if quantity == "accuracy_non_monotone_percent":
        return _wilson(table.right_other, table.other, level)
    if quantity == "flag_rate_percent":
        return _wilson(table.monotone, table.monotone + table.other, level)
    return None


def _wilson(part: int, whole: int, level: float) -> tuple[float, float]:
    low, high = proportion_confint(part, whole, alpha=1 - level, method="wilson")
    return 100 * float(low), 100 * float(high)


def bonett_wright(rho: float, n: int, *, level: float) -> tuple[float, float]:
    """Interval of Spearman's rho by Fisher's z with variance (1 + rho^2 / 2) / (n - 3), n > 3.

    Bonett and Wright 2000, Psychometrika 65: 23-28.
    """
    z = stats.norm.ppf((1 + level) / 2) * math.sqrt((1 + rho**2 / 2) / (n - 3))
    middle = math.atanh(rho)
    return math.tanh(middle - z), math.tanh(middle + z)
