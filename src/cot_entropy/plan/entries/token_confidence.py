"""E10: token log-probability confidence by step depth."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from cot_entropy.base.strict import Strict
from cot_entropy.plan.exploratory import Entry


class TokenConfidenceParams(Strict):
    """E10: equal-width bins of the expected calibration error, and steps reported."""

    bins: int = Field(ge=2, le=100)
    """Equal-width bins of the calibration error."""


class TokenConfidence(Entry[TokenConfidenceParams]):
    """E10: token log-probability confidence by step depth."""

    estimator: Literal["token_confidence"]
    """The estimator that the code implements."""
