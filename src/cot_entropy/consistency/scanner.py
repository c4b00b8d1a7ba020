"""Reasoning consistency as an Inspect Scout scanner.

    scout scan "$(cot-entropy consistency scanner)" -T transcripts --model openai/gpt-5

The result's value is the outcome, its answer the subtype, its explanation the judge's
justification, and its metadata the whole judgement. An exception of the model's provider is
Scout's own scan error, so that `scout scan resume` asks again.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from inspect_ai.model import get_model
from inspect_scout import Result, Transcript, scanner

from cot_entropy.consistency.cache import ReplyCache
from cot_entropy.consistency.judge import judge_transcript
from cot_entropy.consistency.settings import JudgeSettings
from cot_entropy.consistency.store import from_scout

NAME = "reasoning_consistency"


@scanner(messages="all", name=NAME)  # type: ignore[untyped-decorator]  # Scout ships types too large to follow
def reasoning_consistency(
    *,
    judge: str | None = None,
    seed: int = 0,
    temperature: float = 0.0,
    max_tokens: int = 1024,
    attempts: int = 3,
    field_chars: int | None = None,
    max_chars: int = 60_000,
    connections: int = 8,
    max_retries: int = 2,
    timeout: int = 300,
    cache: str | None = None,
) -> Callable[[Transcript], Awaitable[Result]]:
    """Judge each transcript by `judge` (default: the scan's model) and keep replies in `cache`."""

    async def scan(transcript: Transcript) -> Result:
        model: Any = get_model(judge)
        settings = JudgeSettings(
            model=str(model),
            seed=seed,
            temperature=temperature,
            max_tokens=max_tokens,
            attempts=attempts,
            field_chars=field_chars,
            max_chars=max_chars,
            connections=connections,
            max_retries=max_retries,
            timeout=timeout,
        )
        judgement = await judge_transcript(
            from_scout(transcript),
            model=model,
            settings=settings,
            cache=ReplyCache(Path(cache)) if cache else None,
        )
        return Result(
            value=judgement.outcome,
            answer=judgement.subtype,
            explanation=judgement.justification or judgement.failure_detail or judgement.rule,
            metadata={"judgement": judgement.model_dump(mode="json")},
        )

    return scan
