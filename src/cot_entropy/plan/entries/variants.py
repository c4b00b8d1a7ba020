"""E13: protocol variants, one factor at a time."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from cot_entropy.base.strict import Strict
from cot_entropy.plan.exploratory import Entry

VariantQuantity = Literal[
    "accuracy_gap",
    "flag_rate",
    "rho_violations",
    "accuracy",
    "auroc_final_entropy",
    "tokens_per_question",
]


class VariantParams(Strict):
    """E13: quantities compared between variants, one protocol block replaced at a time."""

    quantities: list[VariantQuantity] = Field(min_length=1)
    """Numbers that are compared."""
    seeds: int = Field(ge=1, le=100)
    """Decoding runs with another seed."""


class Variants(Entry[VariantParams]):
    """E13: protocol variants, one factor at a time."""

    estimator: Literal["variants"]
    """The estimator that the code implements."""
