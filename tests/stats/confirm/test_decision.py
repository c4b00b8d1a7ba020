"""Rules, Holm and verdict words."""

from __future__ import annotations

from typing import Literal

import numpy as np
import pytest

from cot_entropy.base.errors import PlanError
from cot_entropy.plan.model import Bounds
from cot_entropy.stats.confirm.decision import Reading, decide, holm, read_rule
from cot_entropy.stats.intervals import Bracket

ZERO = Bounds(threshold=0.0)
BAND = Bounds(low=-0.1, high=0.1)
Rule = Literal["above", "below", "within"]


@pytest.mark.parametrize(
    ("rule", "bounds", "bracket", "expected"),
    [
        ("above", ZERO, (0.1, 2.0), "supported"),
        ("above", ZERO, (-2.0, -0.1), "refuted"),
        ("above", ZERO, (-1.0, 1.0), "inconclusive"),
        ("above", ZERO, (0.0, 1.0), "inconclusive"),
        ("above", ZERO, (-1.0, 0.0), "inconclusive"),
        ("below", ZERO, (-2.0, -0.1), "supported"),
        ("below", ZERO, (0.1, 2.0), "refuted"),
        ("below", ZERO, (-1.0, 0.0), "inconclusive"),
        ("within", BAND, (-0.05, 0.05), "supported"),
        ("within", BAND, (-0.1, 0.05), "inconclusive"),
        ("within", BAND, (0.11, 0.3), "refuted"),
        ("within", BAND, (-0.3, -0.11), "refuted"),
        ("within", BAND, (-0.3, 0.3), "inconclusive"),
        ("within", BAND, (0.1, 0.3), "inconclusive"),
    ],
)
def test_rule_reads_the_interval(
    rule: Rule, bounds: Bounds, bracket: tuple[float, float], expected: Reading
) -> None:
    """Wholly inside or wholly outside; touching decides nothing."""
    interval = Bracket(*bracket)
    assert read_rule(rule, bounds, supported=interval, refuted=interval) == expected


def test_each_verdict_uses_the_interval_of_its_level() -> None:
    """90 % inside supports although 95 % is not inside."""
    got = read_rule("within", BAND, supported=Bracket(-0.09, 0.05), refuted=Bracket(-0.12, 0.07))
    assert got == "supported"


def test_no_interval_decides_nothing() -> None:
    """An undefined estimand."""
    assert read_rule("above", ZERO, supported=None, refuted=None) == "inconclusive"


@pytest.mark.parametrize("rule", ["above", "below", "within"])
def test_a_rule_without_its_bound_is_an_error(rule: Rule) -> None:
    """A loaded plan never gets here."""
    interval = Bracket(1.0, 2.0)
    with pytest.raises(PlanError, match="needs the bound"):
        read_rule(rule, Bounds(), supported=interval, refuted=interval)


def test_holm_by_arithmetic() -> None:
    """Holm 1979: 0.01 x 3, 0.02 x 2, then the running maximum."""
    assert holm([0.02, 0.01, 0.03]) == pytest.approx([0.04, 0.03, 0.04])


def test_holm_counts_absent_cells_as_p_one() -> None:
    """Four cells in the family, one with a p-value: it is multiplied by four."""
    assert holm([None, 0.01, None, None]) == [None, pytest.approx(0.04), None, None]


def test_holm_of_nothing() -> None:
    """No cell, no p-value."""
    assert holm([]) == []


def test_holm_never_decreases_a_p_value() -> None:
    """On random p-values, and never above 1."""
    p = np.random.default_rng(0).random(20).tolist()
    for raw, adjusted in zip(p, holm(p), strict=True):
        assert adjusted is not None
        assert raw <= adjusted <= 1


@pytest.mark.parametrize(
    ("reading", "p", "expected"),
    [
        ("supported", 0.049, "supported"),
        ("supported", 0.05, "inconclusive"),
        ("supported", None, "inconclusive"),
        ("refuted", 0.9, "refuted"),
        ("inconclusive", 0.001, "inconclusive"),
    ],
)
def test_support_needs_interval_and_adjusted_p(
    reading: Reading, p: float | None, expected: str
) -> None:
    """protocol.md section 3."""
    assert decide(reading, p, alpha=0.05)[0] == expected
