"""The rows of `verdicts.csv` and `estimates.csv`: same keys, one order, no NaN."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Kind = Literal["confirmatory", "exploratory"]
Verdict = Literal["supported", "refuted", "inconclusive", "not assessable", "not run", "failed"]


@dataclass(frozen=True, kw_only=True)
class Estimate:
    """One number about one cell, with what it rests on; None where undefined, `reason` says why."""

    id: str
    """The plan's entry: H1 to H5, E1 to E15."""
    cell: str
    """`model/dataset`."""
    quantity: str
    """The number's name, unit included where it has one: `accuracy_gap_pp`, `coherence_nats`."""
    kind: Kind
    """`confirmatory` only for the frozen plan on its own cells."""
    estimate: float | None = None
    """The number."""
    ci_low: float | None = None
    """Lower end of its interval."""
    ci_high: float | None = None
    """Upper end of its interval."""
    p_value: float | None = None
    """Before adjustment."""
    p_holm: float | None = None
    """After Holm's adjustment over the cells."""
    n: int | None = None
    """Questions with a defined estimand."""
    n_monotone: int | None = None
    """Monotone chains among them."""
    n_correct: int | None = None
    """Right answers among them."""
    verdict: Verdict | None = None
    """What the rule decides."""
    reason: str = ""
    """Why a number is missing or a row exploratory, and what was left out."""
    deviations: str = ""
    """Ids in deviations.yaml that touch the row, joined by `;`."""


@dataclass(frozen=True, kw_only=True)
class VariantEstimate(Estimate):
    """One number under one protocol, and how far it is from the study's own protocol.

    The difference is on the same questions and resamples; no interval over questions describes
    `between_seed_sd`.
    """

    variant: str = ""
    """The protocol."""
    difference: float | None = None
    """Its number less the study's own."""
    difference_low: float | None = None
    """Lower end of the difference's interval."""
    difference_high: float | None = None
    """Upper end."""
    between_seed_sd: float | None = None
    """Standard deviation (n - 1) of the study's number over decoding runs."""
    trajectories_sha256: str = ""
