"""Numbers and rules in words."""

from pathlib import Path

import pytest
from tests.report.synthetic_run import PLAN

from cot_entropy.plan.load import load_plan
from cot_entropy.report import text
from cot_entropy.stats.read_tables import Row


def row(**values: float) -> Row:
    return Row(id="H1", cell="m/d", kind="confirmatory", **values)


def test_a_gap_is_signed_with_one_decimal() -> None:
    """Percentage points have one decimal, and a plus."""
    assert text.estimate(9.648, "accuracy_gap_pp") == "+9.6"


def test_a_negative_number_has_a_real_minus() -> None:
    """U+2212, so that a screen reader says `minus`."""
    assert text.estimate(-0.018, "rho_coherence") == "−0.018"


def test_an_auroc_has_no_sign() -> None:
    """Its null value is 0.5, so a plus would mislead."""
    assert text.estimate(0.62, "filter_auroc") == "0.620"


def test_no_number_is_a_dash() -> None:
    """Undefined is never shown as 0."""
    assert text.plain(None, 1) == "–"


def test_an_interval_without_an_end_is_not_shown() -> None:
    """Half an interval says nothing."""
    assert text.interval(row(ci_low=1.0), 1) == ""


@pytest.mark.parametrize(("p", "shown"), [(0.0009, "< 0.001"), (0.001, "0.001"), (0.31, "0.310")])
def test_a_small_p_is_only_bounded(p: float, shown: str) -> None:
    """Below 0.001 the digits carry nothing."""
    assert text.p_value(p) == shown


def test_the_rule_of_h2_says_both_levels() -> None:
    """Two one-sided tests at 0.05 support with the 90 % interval, refute with the 95 % one."""
    plan = load_plan(PLAN).plan
    h2 = next(one for one in plan.hypotheses if one.id == "H2")
    sentence = text.rule_in_words(h2, plan.alpha)
    assert "90 %" in sentence
    assert "inside [−0.1, 0.1]" in sentence
    assert "95 % interval lies wholly outside it" in sentence


def test_a_slug_holds_no_path() -> None:
    """Anchors and file names come from ids that a plan could misspell."""
    assert text.slug("../Etc/Passwd") == "etc-passwd"
    assert Path(text.slug("..")).name == "unnamed"
