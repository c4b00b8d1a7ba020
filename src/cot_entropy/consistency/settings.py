"""How the judge is asked."""

from __future__ import annotations

from typing import Annotated, Final, Literal

from pydantic import Field

from cot_entropy.base.strict import Strict
from cot_entropy.study.judges import MIN_CHARS, MIN_FIELD_CHARS, MIN_TOKENS

Division = Literal["marker", "judge"]
"""What may divide prose into reasoning and answer, beside reasoning blocks: a marker, or also the
judge where no marker stands."""

COMPUTED: Final = "computed"
"""The judge that asks no model."""
REASONED: Final = "reasoned"
"""Actions judged one by one: those that the model reasoned about in the same message."""


class JudgeSettings(Strict):
    """One fixed judge for all generators; what changes a reply is part of the cache key.

    `model` is an Inspect model string (`openai/gpt-5`, `vllm/...`, `openai-api/local/...`).
    `max_tokens` bounds one reply and is doubled after a truncated one. `attempts` counts replies,
    not network retries, which are `max_retries` per request.
    """

    model: Annotated[str, Field(min_length=1)]
    temperature: Annotated[float, Field(ge=0)] = 0.0
    seed: int = 0
    max_tokens: Annotated[int, Field(ge=MIN_TOKENS)] = 1024
    attempts: Annotated[int, Field(ge=1, le=10)] = 3
    field_chars: Annotated[int, Field(ge=MIN_FIELD_CHARS)] | None = None
    """Longest free text that the schema lets a vLLM server write; None for other providers."""
    max_chars: Annotated[int, Field(ge=MIN_CHARS)] = 60_000
    connections: Annotated[int, Field(ge=1)] = 8
    max_retries: Annotated[int, Field(ge=0)] = 2
    split: Division = "marker"
    timeout: Annotated[int, Field(ge=1)] = 300
    """Seconds for one request, retries included."""
