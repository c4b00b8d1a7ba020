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


class Factor(Strict):
    """One part of the protocol that is varied, and by which protocols."""

    factor: Literal["segmentation", "unit_cap", "outcome", "chain_budget", "decoding_run"]
    """What changes; held-out outcomes are E3's."""
    variants: list[str] = Field(min_length=1)
    """Names in `config/protocols.yaml`."""
    quantity: VariantQuantity
    """The number that R26 reports on."""


class VariantParams(Strict):
    """E13: quantities compared between variants, one protocol block replaced at a time."""

    factors: list[Factor] = Field(min_length=1)
    """The registered variants, by what they change."""
    quantities: list[VariantQuantity] = Field(min_length=1)
    """Numbers that are compared."""
    seeds: int = Field(ge=1, le=100)
    """Decoding runs, the study's own and those with another seed."""

    @property
    def variants(self) -> tuple[str, ...]:
        """Every registered variant, in order."""
        return tuple(name for one in self.factors for name in one.variants)


class Variants(Entry[VariantParams]):
    """E13: protocol variants, one factor at a time."""

    estimator: Literal["variants"]
    """The estimator that the code implements."""
