"""The scoring block: how stored completions become answers, entropies and an outcome."""

from typing import Annotated, Literal

from pydantic import Field

from cot_entropy.base.strict import Strict
from cot_entropy.protocol.names import Equivalence, ExtractionRule

SearchedText = Literal["units_and_completion", "completion"]
NoAnswer = Literal["shared_class", "drop", "singleton"]
Outcome = Literal["majority", "chain"]


class ScoringBlock(Strict):
    """Settings of scoring. Changing one reads stored generations and needs no GPU."""

    extraction: ExtractionRule
    """Which answer a text gives."""
    searched: SearchedText
    """Where the answer is looked for; the prompt never is."""
    equivalence: Equivalence
    """Which answers are the same."""
    no_answer: NoAnswer
    """`shared_class`: completions without an answer agree with each other and nothing else;
    `drop`: they leave the distribution; `singleton`: each is a class of its own."""
    eps: Annotated[float, Field(ge=0)]
    """Nats by which H must rise to count as a violation."""
    outcome: Outcome
    """What `correct` means: the majority answer at the last prefix, or the chain's own answer."""


class ScoreJob(Strict):
    """What one cell's scoring depends on, beside its files."""

    cell: str
    scoring: ScoringBlock
    code_digest: str


class SensitivityJob(Strict):
    """What one cell's table depends on, beside its files."""

    cell: str
    scoring: ScoringBlock
    code_digest: str
