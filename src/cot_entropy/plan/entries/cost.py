"""E9: tokens per question."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from cot_entropy.base.strict import Strict
from cot_entropy.plan.exploratory import Entry


class CostParams(Strict):
    """E9: chains of the self-consistency baseline whose tokens are set beside ours."""

    self_consistency_chains: int = Field(ge=1, le=1000)
    """Chains of the baseline whose tokens are set beside ours."""


class Cost(Entry[CostParams]):
    """E9: tokens per question."""

    estimator: Literal["cost"]
    """The estimator that the code implements."""
