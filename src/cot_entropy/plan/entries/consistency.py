"""E11: reasoning consistency beside the entropy signal."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from cot_entropy.base.strict import Strict
from cot_entropy.plan.exploratory import Entry


class ConsistencyParams(Strict):
    """E11: what the consistency label is set against."""

    against: list[Literal["correct", "shape_flag", "violations", "final_entropy"]] = Field(
        min_length=1
    )
    """What the label is set against."""
    folds: int = Field(ge=2, le=20)
    """Folds of the combined regression."""


class Consistency(Entry[ConsistencyParams]):
    """E11: reasoning consistency beside the entropy signal."""

    estimator: Literal["consistency"]
    """The estimator that the code implements."""
