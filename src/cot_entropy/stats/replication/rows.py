"""The rows of `replication.csv`: E14, one pair of studies and measure; E15, one pooled number."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Final, Literal

from cot_entropy.stats.rows import Kind

THIS_RUN: Final = "this run"
EVERY_CELL: Final = "all"


@dataclass(frozen=True, kw_only=True)
class ReplicationRow:
    """One number about a replication; None where undefined, `reason` says why.

    Rows with an `original` set one study beside a later one. Rows without are about this run's
    cells together. Correlations are Spearman's rho, odds ratios are not logarithms; only a
    `difference` of correlations is on the atanh scale, and one of odds ratios is their ratio.
    """

    id: Literal["E14", "E15"]
    """The plan's entry: E14 replication success, E15 pooled."""
    hypothesis: str
    """The claim in question."""
    cell: str
    """`model/dataset`; `all` for the hypothesis's cells together."""
    original: str = ""
    """The earlier study, as in published.yaml."""
    replication: str = ""
    """The later study; `this run` for ours."""
    design: Literal["matched", "pilot", ""] = ""
    """`pilot` where either study is not of our design."""
    scale: Literal["accuracy_gap_pp", "odds_ratio", "rho", ""] = ""
    """What the effect is measured in."""
    quantity: str
    """The measure."""
    estimate: float | None = None
    """The number."""
    ci_low: float | None = None
    """Lower end of its interval."""
    ci_high: float | None = None
    """Upper end of its interval."""
    p_value: float | None = None
    """The measure's own p-value, unadjusted."""
    met: bool | None = None
    """Whether the criterion is met; empty where the measure is none, or is undefined."""
    n: int | None = None
    """Questions behind an effect; rows of questions and models behind a pooled one."""
    basis: str = ""
    """Where an effect's error comes from: counts, simulated, approximation, measured."""
    kind: Kind = "exploratory"
    """Always exploratory."""
    reason: str = ""
    """Why a number is missing, and what it takes for granted."""


COLUMNS: Final = tuple(field.name for field in fields(ReplicationRow))
