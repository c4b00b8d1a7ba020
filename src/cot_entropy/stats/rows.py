"""The rows of `verdicts.csv` and `estimates.csv`: same keys, one order, no NaN."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Kind = Literal["confirmatory", "exploratory"]
Verdict = Literal["supported", "refuted", "inconclusive", "not assessable", "not run", "failed"]


@dataclass(frozen=True, kw_only=True)
class Estimate:
    """One number about one cell, with what it rests on; None where undefined, `reason` says why.

    `id` is the plan's entry (H1..H5, E1..E13), `quantity` the number's name, unit included where
    it has one (`accuracy_gap_pp`, `coherence_nats`).
    """

    id: str
    cell: str
    quantity: str
    kind: Kind
    estimate: float | None = None
    ci_low: float | None = None
    ci_high: float | None = None
    p_value: float | None = None
    p_holm: float | None = None
    n: int | None = None
    n_monotone: int | None = None
    n_correct: int | None = None
    verdict: Verdict | None = None
    reason: str = ""
    deviations: str = ""
    """Ids in deviations.yaml that touch the row, joined by `;`."""


@dataclass(frozen=True, kw_only=True)
class VariantEstimate(Estimate):
    """One number under one protocol, and how far it is from the study's own protocol.

    The difference is the variant's number less the study's, on the same questions and resamples.
    `between_seed_sd` is the standard deviation (n - 1) of the study's number over decoding runs,
    which no interval over questions describes.
    """

    variant: str = ""
    difference: float | None = None
    difference_low: float | None = None
    difference_high: float | None = None
    between_seed_sd: float | None = None
    trajectories_sha256: str = ""
