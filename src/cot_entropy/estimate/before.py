"""What a stage says before it starts its engine: a device or a disk that will not do."""

from __future__ import annotations

from pathlib import Path

from cot_entropy.base.errors import ModelError
from cot_entropy.engine.capacity import (
    Need,
    free_here,
    least_device_bytes,
    shape_of_folder,
    shortages,
)
from cot_entropy.estimate.assumptions import read_assumptions
from cot_entropy.formats.inputs import read_dataset, read_model
from cot_entropy.formats.records import PrefixRecord, read_header, read_records
from cot_entropy.protocol.baseline import SelfConsistencyJob
from cot_entropy.protocol.chain import ChainsJob
from cot_entropy.protocol.engine import EngineSettings
from cot_entropy.protocol.probe import CompletionsJob
from cot_entropy.protocol.shard import Shard


def chains_tokens(job: ChainsJob, questions: Path) -> float:
    """Tokens that the chains of these questions have at most."""
    return _own(job.shard, read_dataset(questions).questions * job.chain.budget)


def completions_tokens(job: CompletionsJob, prefixes: Path) -> float:
    """Tokens that the completions at these prefixes have at most."""
    asked = sum(len(record.ends) for record in read_records(prefixes, PrefixRecord))
    return _own(job.shard, asked * job.probe.m * job.probe.budget)


def self_consistency_tokens(job: SelfConsistencyJob, chains: Path) -> float:
    """Tokens that the further chains of the questions of `chains` have at most."""
    header = read_header(chains)
    budget = header.chain.budget
    return _own(job.shard, header.dataset.questions * job.chains * budget)


def shortages_before(engine: EngineSettings, *, model: Path, out: Path, tokens: float) -> list[str]:
    """What is short here for so many tokens in `out`, one line each; nothing for a stand-in.

    A folder whose config.json does not say what the model needs is the engine's to judge. Raises
    DataError for a broken manifest.
    """
    if engine.name == "scripted":
        return []
    stored = read_assumptions().storage.checkpoint_bytes_per_token * tokens
    try:
        device = least_device_bytes(engine, shape_of_folder(Path(read_model(model).folder)))
    except ModelError:
        device = 0
    need = Need(disk_bytes=round(stored), device_bytes=device)
    return shortages(need, free_here(engine, out), engine)


def _own(shard: Shard | None, tokens: int) -> float:
    return tokens if shard is None else tokens / shard.of
