"""Which protocols are compared with a study's own, one factor at a time."""

from __future__ import annotations

from pydantic import Field

from cot_entropy.base.strict import Strict


class Compared(Strict):
    """One variant."""

    name: str
    reseeded: bool
    """It differs in the seed of the chains alone: another decoding run of the same protocol."""


class Absent(Strict):
    """A registered variant that the study does not name."""

    name: str
    reason: str


class VariantsJob(Strict):
    """What the table of the variants depends on, beside the trajectories and the plan."""

    protocol: str
    cells: list[str]
    variants: list[Compared]
    absent: list[Absent] = Field(default_factory=list)
    """Registered variants that the study does not run, and why."""
    trajectories: list[str]
    """For each cell the study's own protocol's file, then each variant's."""
    code_digest: str
