"""The scoring block: how stored completions become answers, entropies and an outcome."""

from itertools import product
from typing import Annotated, Final, Literal

from pydantic import Field

from cot_entropy.base.strict import Strict
from cot_entropy.protocol.names import EQUIVALENCES, EXTRACTIONS, Equivalence, ExtractionRule

Grader = tuple[ExtractionRule, Equivalence]
GRADERS: Final[tuple[Grader, ...]] = tuple(
    product(("registered", "zhao", "robust"), ("normalised", "by_value"))
)
"""Those that every cell's table of sensitivity compares."""
JUDGING: Final[Grader] = ("robust", "normalised")
"""The one by which the computed judge reads a chain."""

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

    @property
    def grader(self) -> Grader:
        """The extraction rule and the equivalence."""
        return self.extraction, self.equivalence

    def rules(self) -> list[str]:
        """The modules of the rules that grade its answers."""
        return grader_rules(self.grader)


def grader_rules(*graders: Grader) -> list[str]:
    """The modules of the rules of some graders, each once."""
    modules = [
        module
        for extraction, equivalence in graders
        for module in (EXTRACTIONS.module(extraction), EQUIVALENCES.module(equivalence))
    ]
    return list(dict.fromkeys(modules))


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

    @property
    def graders(self) -> list[Grader]:
        """What is compared: `GRADERS`, and the block's own where it is none of them."""
        return list(dict.fromkeys((*GRADERS, self.scoring.grader)))
