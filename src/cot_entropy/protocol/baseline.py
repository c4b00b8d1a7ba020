"""Self-consistency: whole chains sampled per question, whose majority answers."""

from __future__ import annotations

from cot_entropy.base.strict import Strict
from cot_entropy.protocol.engine import EngineSettings
from cot_entropy.protocol.scoring import ScoringBlock
from cot_entropy.protocol.shard import Shard


class SelfConsistencyJob(Strict):
    """What the further chains of one cell depend on, beside its reference chains' prompts."""

    chains: int
    """Chains per question."""
    temperature: float
    """The completions' temperature: a vote needs chains that differ."""
    engine: EngineSettings
    code_digest: str
    shard: Shard | None = None
    """The part of the questions to work on; null for all."""


class BaselineJob(Strict):
    """What the baseline's numbers depend on, beside its files and the plan."""

    cell: str
    scoring: ScoringBlock
    code_digest: str
