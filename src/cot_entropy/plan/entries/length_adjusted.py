"""E6: the shape flag within length strata and adjusted for length."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from cot_entropy.base.strict import Strict
from cot_entropy.plan.exploratory import Entry

Covariate = Literal["n_units_chain", "chain_tokens", "chain_truncated"]


class LengthParams(Strict):
    """E6: equal-count strata of each covariate, and the covariates of the adjusted regression."""

    strata: int = Field(ge=2, le=10)
    """Strata of equal counts."""
    stratify_by: list[Literal["n_units_chain", "chain_tokens"]] = Field(min_length=1)
    """What they are cut by."""
    covariates: list[Covariate] = Field(min_length=1)
    """Covariates of the adjusted regression."""


class LengthAdjusted(Entry[LengthParams]):
    """E6: the shape flag within length strata and adjusted for length."""

    estimator: Literal["length_adjusted"]
    """The estimator that the code implements."""
