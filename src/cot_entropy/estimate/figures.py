"""What an estimate says: per generated file, per cell, and in all."""

from __future__ import annotations

from cot_entropy.base.strict import Strict


class Amounts(Strict):
    """Predicted, or noted by a run."""

    requests: int | None
    """None: not noted by a run."""
    generated_tokens: int
    prompt_tokens_computed: int
    hours: float
    """Of one device, the engine's starts included; shards share them out."""
    start_hours: float


class FileEstimate(Strict):
    """One generated file."""

    path: str
    """Below the results folder."""
    predicted: Amounts
    actual: Amounts | None
    """What its run noted; None before there is one."""


class CellEstimate(Strict):
    """One cell: all files of it that an engine generates."""

    cell: str
    questions: int
    prompt_tokens: int
    """Of one prompt, on average."""
    predicted: Amounts
    storage_bytes: int
    device_gib: float
    """Weights, the cache of a full batch of mean length, and what stands beside them."""
    notes: list[str]
    """How the figures are known."""


class ProtocolEstimate(Strict):
    """What one protocol of a study adds: the files that no protocol before it needs."""

    protocol: str
    predicted: Amounts


class Estimate(Strict):
    """A study before it runs; `actual` where files of it are finished."""

    study: str
    cells: list[CellEstimate]
    files: list[FileEstimate]
    protocols: list[ProtocolEstimate]
    """The study's own, then each variant in order; further generations count to the first."""
    total: Amounts
    storage_bytes: int
    """Of all generated files."""
    disk_bytes: int
    """At most at one time: all files, and the checkpoint of the largest."""
    device: str
    tokens_per_second: dict[str, float]
    """Assumed, by model."""
    warnings: list[str]
    """What this machine has too little of."""
