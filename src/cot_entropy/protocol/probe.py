"""The probe block: where a chain is cut and what is sampled at each cut."""

from typing import Annotated, Final, Self

from pydantic import Field, model_validator

from cot_entropy.base.rules import Kind
from cot_entropy.base.strict import Strict
from cot_entropy.protocol.engine import EngineSettings
from cot_entropy.protocol.shard import Shard

SEGMENTATIONS: Final = Kind("generate.segmentation")
CAPS: Final = Kind("generate.caps")
Segmentation = Annotated[str, SEGMENTATIONS]
CapPolicy = Annotated[str, CAPS]


class ProbeBlock(Strict):
    """Settings of prefixes and completions. Changing one keeps every chain."""

    segmentation: Segmentation
    """What separates two units of a chain."""
    cap: Annotated[int, Field(ge=1)] | None
    """Units probed at most; null for all."""
    cap_policy: CapPolicy | None
    """`truncate`: units past the cap are not probed; `merge`: adjacent units join into `cap`."""
    m: Annotated[int, Field(ge=2)]
    """Completions per prefix."""
    temperature: Annotated[float, Field(ge=0, le=2)]
    """Sampling temperature of the completions."""
    budget: Annotated[int, Field(ge=1)]
    """Tokens per completion at most."""
    cue: str | None = None
    """Appended to every prefix before sampling, as in `\\n\\nFinal answer:`; null for none."""

    @model_validator(mode="after")
    def _cap_has_a_policy(self) -> Self:
        if (self.cap is None) != (self.cap_policy is None):
            raise ValueError("`cap` and `cap_policy` go together: set both or neither")
        return self

    def rules(self) -> list[str]:
        """The modules of the rules that cut its prefixes."""
        caps = [CAPS.module(self.cap_policy)] if self.cap_policy is not None else []
        return [SEGMENTATIONS.module(self.segmentation), *caps]


class PrefixesJob(Strict):
    """All that decides the prefixes of one cell, beside its chains."""

    probe: ProbeBlock
    code_digest: str


class CompletionsJob(Strict):
    """All that decides the completions of one cell, beside its chains and prefixes.

    Cell, study seed and chain block come from the header of the chains.
    """

    probe: ProbeBlock
    engine: EngineSettings
    code_digest: str
    shard: Shard | None = None
    """The part of the questions to work on; null for all."""
