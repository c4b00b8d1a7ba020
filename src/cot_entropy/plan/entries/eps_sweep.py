"""E4: the violation threshold varied."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from cot_entropy.base.strict import Strict
from cot_entropy.plan.exploratory import Entry, Eps


class EpsSweepParams(Strict):
    """E4: violation thresholds in nats."""

    eps: list[Eps] = Field(min_length=1)
    """Thresholds in nats."""


class EpsSweep(Entry[EpsSweepParams]):
    """E4: the violation threshold varied."""

    estimator: Literal["eps_sweep"]
    """The estimator that the code implements."""
