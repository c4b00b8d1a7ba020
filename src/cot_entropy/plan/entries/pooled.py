"""E15: one answer over the cells."""

from __future__ import annotations

from typing import Literal

from cot_entropy.base.strict import Strict
from cot_entropy.plan.exploratory import Entry


class PooledParams(Strict):
    """E15: what is left out in turn, and what the flag may interact with."""

    leave_out: list[Literal["model", "dataset"]]
    """What is left out, one at a time."""
    interactions: list[Literal["dataset", "model", "chain_length"]]
    """What the flag's odds ratio may depend on."""


class Pooled(Entry[PooledParams]):
    """E15: one answer over the cells."""

    estimator: Literal["pooled"]
    """The estimator that the code implements."""
