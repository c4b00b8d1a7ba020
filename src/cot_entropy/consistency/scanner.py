"""Reasoning consistency as an Inspect Scout scanner.

    scout scan cot_entropy/reasoning_consistency -T transcripts --model openai/gpt-5

A result is about the transcript as a whole: its value is the subtype, or the outcome where there is
none, its answer the outcome, its explanation the justification with references to the messages
judged, and its metadata the whole judgement, with those of the single answers and actions beside
it. An exception of the model's provider is Scout's own scan error, so that `scout scan resume`
asks again.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import Any

from inspect_ai.model import get_model
from inspect_ai.scorer import Reference
from inspect_scout import Result, Transcript, scanner

from cot_entropy.consistency.cache import ReplyCache
from cot_entropy.consistency.conversations import EVENTS
from cot_entropy.consistency.judge import judge_transcript
from cot_entropy.consistency.judgement import Judgement
from cot_entropy.consistency.metrics import counts, inconsistent_rate, subtype_rates
from cot_entropy.consistency.settings import REASONED, Division, JudgeSettings
from cot_entropy.consistency.store import from_scout

NAME = "reasoning_consistency"


@scanner(  # type: ignore[untyped-decorator]  # Scout ships types too large to follow
    messages="all",
    events=EVENTS,
    name=NAME,
    version=2,
    metrics=[inconsistent_rate(), subtype_rates(), counts()],
)
def reasoning_consistency(
    *,
    judge: str | None = None,
    judge_role: str | None = None,
    seed: int = 0,
    temperature: float = 0.0,
    max_tokens: int = 1024,
    attempts: int = 3,
    field_chars: int | None = None,
    max_chars: int = 60_000,
    connections: int = 8,
    max_retries: int = 2,
    timeout: int = 300,
    split: Division = "marker",
    actions: str = REASONED,
    cache: str | None = None,
) -> Callable[[Transcript], Awaitable[Result]]:
    """Judge each transcript and keep replies in `cache`.

    The judge is the model `judge`, or the one of the model role `judge_role`, or the scan's model.
    `split` and `actions` as in `consistency scan`.
    """

    async def scan(transcript: Transcript) -> Result:
        model: Any = get_model(judge, role=judge_role)
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
            split=split,
        )
        replies = ReplyCache(Path(cache)) if cache else None
        whole, *turns = [
            await judge_transcript(one, model=model, settings=settings, cache=replies)
            for one in from_scout(transcript, actions=actions)
        ]
        places = {message.id: number for number, message in enumerate(transcript.messages, 1)}
        return Result(
            value=whole.finding,
            answer=whole.outcome,
            explanation="\n".join(_explained(one, places) for one in (whole, *turns)),
            references=_references([whole, *turns], places),
            metadata={
                "judgement": whole.model_dump(mode="json"),
                "turns": [one.model_dump(mode="json") for one in turns],
            },
        )

    return scan


def _explained(judgement: Judgement, places: dict[Any, int]) -> str:
    what = "whole" if judgement.turn is None else f"turn {judgement.turn}"
    where = " ".join(f"[M{places[id]}]" for id in judgement.references if id in places)
    why = judgement.justification or judgement.failure_detail or judgement.rule or ""
    return " ".join(f"{what} {where}: {judgement.finding}. {why}".split())


def _references(judgements: Sequence[Judgement], places: dict[Any, int]) -> list[Reference]:
    ids = dict.fromkeys(id for judgement in judgements for id in judgement.references)
    return [Reference(type="message", cite=f"[M{places[id]}]", id=id) for id in ids if id in places]
