"""E12 as the report draws it: a panel per cell, a line per protocol, and the word beside it."""

from __future__ import annotations

from cot_entropy.report.figures.estimated import estimated_figures
from cot_entropy.stats.read_tables import Row


def row(variant: str, reason: str, *, cell: str = "m/d") -> Row:
    return Row(
        id="E12",
        cell=cell,
        quantity=f"rho_coherence[{variant}]",
        kind="exploratory",
        estimate=0.01,
        ci_low=-0.04,
        ci_high=0.06,
        reason=reason,
        variant=variant,
    )


def test_each_protocol_says_whether_the_null_holds() -> None:
    (figure,) = estimated_figures(
        "coherence_map",
        "E12",
        [
            row("registered", "null holds: 90% interval inside [-0.1, 0.1]"),
            row("cap_merge", "undecided: the interval crosses an end of [-0.1, 0.1]"),
            row("registered", "null does not hold: 95% interval outside", cell="m/e"),
        ],
    )
    first, second = map(str, figure.panels)
    assert ">registered: null holds<" in first
    assert ">cap merge: undecided<" in first
    assert ">registered: null does not hold<" in second


def test_the_whole_reason_is_in_the_data() -> None:
    reason = "null holds: 90% interval inside [-0.1, 0.1]"
    (figure,) = estimated_figures("coherence_map", "E12", [row("registered", reason)])
    assert figure.rows[0][figure.columns.index("reason")] == reason
