"""Which judge labels the chains of a study: a model, served here or elsewhere, or arithmetic."""

from __future__ import annotations

from typing import Annotated, Final, Literal

from pydantic import Field

from cot_entropy.base.strict import Strict
from cot_entropy.model.spec import ModelSpec

MIN_TOKENS: Final = 64
MIN_FIELD_CHARS: Final = 40
MIN_CHARS: Final = 400
MIN_CONTEXT: Final = 2048
"""Smallest values of what can be set; study file, command line and the scan share them."""


class ComputedJudge(Strict):
    """No model: the value that the reasoning concludes with against the answer given."""

    source: Literal["computed"]


class PromptedJudge(Strict):
    """How a model is asked, wherever it runs."""

    sample: Annotated[int, Field(ge=1)] | None = None
    """Chains per cell that it judges, drawn by the study's seed; null for all."""
    max_chars: Annotated[int, Field(ge=MIN_CHARS)] = 60_000
    """Characters of a transcript that it is shown."""
    max_tokens: Annotated[int, Field(ge=MIN_TOKENS)] = 1024
    """Tokens of one reply; doubled after a reply that was cut off."""
    connections: Annotated[int, Field(ge=1)] = 8
    """Requests at a time."""


class InspectJudge(PromptedJudge):
    """Any model that Inspect reaches; its key comes from the environment, never from here."""

    source: Literal["inspect"]
    model: Annotated[str, Field(pattern=r"^[\w.-]+/[\w./:@-]+$")]
    """An Inspect model string, as `anthropic/claude-opus-4-6`."""


class ServedJudge(PromptedJudge):
    """A model that vLLM serves on loopback for as long as the scan runs."""

    source: Literal["served"]
    model: ModelSpec
    """Where its weights come from."""
    context: Annotated[int, Field(ge=MIN_CONTEXT)] = 8192
    """Tokens of prompt and reply together."""
    max_chars: Annotated[int, Field(ge=MIN_CHARS)] = 12_000
    """As above; below three characters per token of the context, less 2,500 tokens."""
    field_chars: Annotated[int, Field(ge=MIN_FIELD_CHARS)] = 400
    """Longest free text that it may write: a small model does not end one by itself."""


JudgeSpec = Annotated[ComputedJudge | InspectJudge | ServedJudge, Field(discriminator="source")]
