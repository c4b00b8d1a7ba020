"""The chain block: how the one reference chain of a question is generated."""

from typing import Annotated

from pydantic import Field

from cot_entropy.base.strict import Strict
from cot_entropy.protocol.engine import EngineSettings
from cot_entropy.protocol.shard import Shard


class ChainBlock(Strict):
    """Settings of the reference chain. Changing one regenerates chains and everything after."""

    system_prompt: Annotated[str, Field(min_length=1)]
    """Sent as the system turn, or merged into the user turn where the template has none."""
    temperature: Annotated[float, Field(ge=0, le=2)]
    """Sampling temperature of the chain."""
    budget: Annotated[int, Field(ge=1)]
    """Tokens at most; a chain that reaches it is marked truncated."""
    seed: Annotated[int, Field(ge=0)] = 0
    """Added to the study's seed: another value is another decoding run."""


class ChainsJob(Strict):
    """All that decides the chains of one cell, beside the model and the questions."""

    cell: str
    study_seed: int
    chain: ChainBlock
    engine: EngineSettings
    code_digest: str
    shard: Shard | None = None
    """The part of the questions to work on; null for all."""
