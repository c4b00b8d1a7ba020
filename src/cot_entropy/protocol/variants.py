"""Which protocols are compared with a study's own, one factor at a time."""

from __future__ import annotations

from cot_entropy.base.strict import Strict


class Compared(Strict):
    """One variant."""

    name: str
    reseeded: bool
    """It differs in the seed of the chains alone: another decoding run of the same protocol."""


class VariantsJob(Strict):
    """What the table of the variants depends on, beside the trajectories and the plan."""

    protocol: str
    cells: list[str]
    variants: list[Compared]
    trajectories: list[str]
    """For each cell the study's own protocol's file, then each variant's."""
    code_digest: str
