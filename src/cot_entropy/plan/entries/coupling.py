"""E3: the outcome decoupled from the samples that give the entropy."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from cot_entropy.plan.exploratory import Entry, NamesSignals

Outcome = Literal["majority", "chain", "held_out"]


class CouplingParams(NamesSignals):
    """E3: outcomes by which correctness is judged."""

    outcomes: list[Outcome] = Field(min_length=1)
    """Outcomes by which correctness is judged."""


class Coupling(Entry[CouplingParams]):
    """E3: the outcome decoupled from the samples that give the entropy."""

    estimator: Literal["coupling"]
    """The estimator that the code implements."""
