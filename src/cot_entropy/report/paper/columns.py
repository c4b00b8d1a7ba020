"""Which numbers stand in which column of the paper's tables, one line per cell."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

GAP: Final = ("H1", "H4a")
GRADED: Final = ("H3", "H4b")
"""A hypothesis and the one that repeats it for the reasoning-distilled model."""


@dataclass(frozen=True, kw_only=True)
class Column:
    """A column: the row of verdicts.csv or estimates.csv that it shows, and how.

    The first of `ids` that has the row in a cell is taken. `times` brings a share to percent.
    """

    header: str
    ids: tuple[str, ...]
    quantity: str
    show: Literal["estimate", "interval", "p", "verdict", "kind", "n"] = "estimate"
    places: int = 3
    times: int = 1


@dataclass(frozen=True, kw_only=True)
class Layout:
    """One table: what its lines are about, and its columns after that of the cells."""

    name: str
    title: str
    note: str
    exploratory: bool
    columns: tuple[Column, ...]


def _share(header: str, ids: tuple[str, ...], quantity: str) -> Column:
    return Column(header=header, ids=ids, quantity=quantity, places=1, times=100)


def _both(
    header: str, ids: tuple[str, ...], quantity: str, *, places: int = 3
) -> tuple[Column, Column]:
    """An estimate, and the interval beside it."""
    return (
        Column(header=header, ids=ids, quantity=quantity, places=places),
        Column(header="95 % interval", ids=ids, quantity=quantity, show="interval", places=places),
    )


AGAINST: Final = "difference[final_entropy - shape_flag]"

LAYOUTS: Final[tuple[Layout, ...]] = (
    Layout(
        name="1_main_effect",
        title="The shape signal: accuracy of monotone and of other chains",
        note="Accuracies and the share of monotone chains in percent, the gap in percentage "
        "points with the interval that decides, p Fisher's two-sided before Holm's adjustment.",
        exploratory=False,
        columns=(
            Column(header="n", ids=GAP, quantity="accuracy_gap_pp", show="n"),
            _share("Monotone", GAP, "flag_rate"),
            _share("Accuracy, monotone", GAP, "accuracy_monotone"),
            _share("Accuracy, other", GAP, "accuracy_non_monotone"),
            *_both("Gap", GAP, "accuracy_gap_pp", places=1),
            Column(header="Odds ratio", ids=GAP, quantity="odds_ratio_sample", places=2),
            Column(header="p", ids=GAP, quantity="accuracy_gap_pp", show="p"),
            Column(header="Verdict", ids=GAP, quantity="accuracy_gap_pp", show="verdict"),
            Column(header="Kind", ids=GAP, quantity="accuracy_gap_pp", show="kind"),
        ),
    ),
    Layout(
        name="2_dissociation",
        title="Shape against magnitude: violations and coherence",
        note="Spearman's rho with correctness of the number of violations and of the total fall of "
        "entropy, with the intervals that decide; accuracy in percent by violations.",
        exploratory=False,
        columns=(
            *_both("rho, violations", GRADED, "rho_violations"),
            Column(header="Verdict", ids=GRADED, quantity="rho_violations", show="verdict"),
            *_both("rho, coherence", ("H2",), "rho_coherence"),
            Column(header="Verdict", ids=("H2",), quantity="rho_coherence", show="verdict"),
            Column(header="Kind", ids=("H2",), quantity="rho_coherence", show="kind"),
            *(
                _share(f"{shown} viol.", GRADED, f"accuracy_at_{name}_violations")
                for shown, name in (("0", "0"), ("1", "1"), ("2", "2"), ("3+", "3_or_more"))
            ),
        ),
    ),
    Layout(
        name="4_scalar_against_shape",
        title="Final-step entropy against the shape flag",
        note="Paired differences with percentile intervals; an AUROC above 0, an area below 0 is "
        "better for final-step entropy. Areas: from the first achievable coverage, from 0 with "
        "constant extension, over the shared range.",
        exploratory=True,
        columns=(
            Column(header="AUROC, flag", ids=("E1",), quantity="auroc[shape_flag]"),
            Column(header="AUROC, entropy", ids=("E1",), quantity="auroc[final_entropy]"),
            *_both("Difference", ("E1",), f"auroc_{AGAINST}"),
            Column(header="Achievable", ids=("E2",), quantity=f"aurc_achievable_{AGAINST}"),
            Column(header="From 0", ids=("E2",), quantity=f"aurc_zero_extended_{AGAINST}"),
            Column(header="Shared", ids=("E2",), quantity=f"aurc_shared_{AGAINST}"),
        ),
    ),
    Layout(
        name="5_length",
        title="The shape flag adjusted for length and truncation",
        note="Odds ratio of a right answer, alone and adjusted for units, tokens and truncation, "
        "Wald intervals; the gap in percentage points within chains that were not and were cut "
        "at their budget.",
        exploratory=True,
        columns=(
            *_both("Odds ratio", ("E6",), "odds_ratio[shape_flag]", places=2),
            *_both("Adjusted", ("E6",), "adjusted_odds_ratio[shape_flag]", places=2),
            Column(
                header="Gap, not truncated",
                ids=("E6",),
                quantity="accuracy_gap_pp[not truncated]",
                places=1,
            ),
            Column(
                header="truncated",
                ids=("E6",),
                quantity="accuracy_gap_pp[truncated]",
                places=1,
            ),
        ),
    ),
    Layout(
        name="6_filter",
        title="The learned filter among monotone chains",
        note="Cross-validated AUROC for a wrong answer with the interval that decides; accuracy "
        "gained in percentage points at fixed coverage.",
        exploratory=False,
        columns=(
            Column(header="n", ids=("H5",), quantity="filter_auroc", show="n"),
            *_both("AUROC", ("H5",), "filter_auroc"),
            Column(header="p", ids=("H5",), quantity="filter_auroc", show="p"),
            Column(header="Verdict", ids=("H5",), quantity="filter_auroc", show="verdict"),
            Column(header="Kind", ids=("H5",), quantity="filter_auroc", show="kind"),
            *(
                Column(
                    header=f"Gain at {coverage}",
                    ids=("H5",),
                    quantity=f"accuracy_gained_pp_at_coverage_{coverage}",
                    places=1,
                )
                for coverage in ("0.9", "0.8")
            ),
        ),
    ),
    Layout(
        name="7_cost",
        title="Generated tokens per question",
        note="Self-consistency with 40 chains is 40 times the mean chain.",
        exploratory=True,
        columns=(
            Column(header="Chain", ids=("E9",), quantity="chain_tokens_per_question", places=0),
            Column(header="Probes", ids=("E9",), quantity="probe_tokens_per_question", places=0),
            Column(header="Both", ids=("E9",), quantity="tokens_per_question", places=0),
            Column(
                header="Self-consistency",
                ids=("E9",),
                quantity="tokens_per_question[self-consistency, 40 chains]",
                places=0,
            ),
            Column(
                header="Share of it, %",
                ids=("E9",),
                quantity="tokens_percent_of_self_consistency[40 chains]",
                places=1,
            ),
        ),
    ),
)
"""All but the third table, whose lines are variants."""
