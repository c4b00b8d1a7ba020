"""E14: originals beside replications by the field's measures."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from cot_entropy.base.strict import Strict
from cot_entropy.plan.exploratory import Entry


class ReplicationParams(Strict):
    """E14: the numbers that the measures of replication take."""

    small_power: float = Field(gt=0.05, lt=1)
    """Small telescopes: the original's power for the effect that counts as small."""
    null_prior_sd: float = Field(gt=0, le=10)
    """Bayes factor for the null: standard deviation of the prior on atanh(rho)."""
    evidence: float = Field(ge=1, le=1000)
    """The Bayes factor from which a claim, or the null, counts as favoured."""


class Replication(Entry[ReplicationParams]):
    """E14: originals beside replications by the field's measures."""

    estimator: Literal["replication"]
    """The estimator that the code implements."""
