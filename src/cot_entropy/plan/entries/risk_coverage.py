"""E2: risk-coverage areas."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from cot_entropy.plan.exploratory import Entry, NamesSignals


class RiskCoverageParams(NamesSignals):
    """E2: signals, and the ranges of coverage that the area is taken over."""

    ranges: list[Literal["achievable", "zero_extended", "shared"]] = Field(min_length=1)
    """Ranges of coverage that the area is taken over."""


class RiskCoverage(Entry[RiskCoverageParams]):
    """E2: risk-coverage areas."""

    estimator: Literal["risk_coverage"]
    """The estimator that the code implements."""
