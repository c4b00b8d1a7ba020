"""E5: the gap, and the tokens, of the first transitions."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from cot_entropy.base.strict import Strict
from cot_entropy.plan.exploratory import Entry


class TrajectoryBudgetParams(Strict):
    """E5: numbers of first transitions to use."""

    transitions: list[Annotated[int, Field(ge=1, le=64)]] = Field(min_length=1)
    """Numbers of first transitions to use."""


class TrajectoryBudget(Entry[TrajectoryBudgetParams]):
    """E5: the gap, and the tokens, of the first transitions."""

    estimator: Literal["trajectory_budget"]
    """The estimator that the code implements."""
