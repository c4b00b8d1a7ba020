"""Transcripts in Scout's own store, so that `scout scan` and its viewer work on them."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from itertools import groupby
from pathlib import Path
from typing import Any

from inspect_ai.model import (
    ChatMessageAssistant,
    ChatMessageSystem,
    ChatMessageTool,
    ChatMessageUser,
    ContentReasoning,
    ContentText,
)
from inspect_scout import Transcript as ScoutTranscript
from inspect_scout import transcripts_db

from cot_entropy.consistency.conversations import from_conversation
from cot_entropy.consistency.settings import REASONED
from cot_entropy.consistency.transcript import Step, Transcript

_OF_MODEL = frozenset({"reasoning", "action", "answer"})
SOURCE_TYPE = "cot-entropy"


def to_scout(transcript: Transcript) -> Any:
    """A Scout transcript whose id is the content's sha256; what was thought and said stay apart."""
    messages: list[Any] = []
    if transcript.system_prompt:
        messages.append(ChatMessageSystem(content=transcript.system_prompt))
    messages += _messages(transcript.steps or _steps(transcript))
    return ScoutTranscript(
        transcript_id=transcript.sha256(),
        source_type=SOURCE_TYPE,
        source_id=transcript.source,
        task_id=transcript.id,
        task_set=transcript.task or None,
        model=transcript.model or None,
        messages=messages,
        metadata={"fields": transcript.model_dump(mode="json")},
    )


def _steps(transcript: Transcript) -> tuple[Step, ...]:
    message = transcript.references[-1] if transcript.references else ""
    return (
        Step(kind="question", text=transcript.question),
        Step(kind="reasoning", text=transcript.reasoning, message=message),
        Step(kind="answer", text=transcript.answer, message=message),
    )


def _messages(steps: Sequence[Step]) -> list[Any]:
    """Steps as messages: those of one assistant message together, under its own id."""
    found: list[Any] = []
    for own, group in groupby(steps, lambda step: step.kind in _OF_MODEL and step.message):
        parts = list(group)
        if own is False:
            found += [
                ChatMessageTool(content=step.text, id=step.message or None)
                if step.kind == "tool_result"
                else ChatMessageUser(content=step.text, id=step.message or None)
                for step in parts
            ]
            continue
        content: list[Any] = [
            ContentReasoning(reasoning=step.text)
            if step.kind == "reasoning"
            else ContentText(text=step.text)
            for step in parts
            if step.text
        ]
        found.append(ChatMessageAssistant(content=content, id=own or None))
    return found


def from_scout(scout: Any, *, actions: str = REASONED) -> list[Transcript]:
    """The transcripts in a Scout transcript: ours unchanged, any other read turn by turn."""
    if scout.source_type == SOURCE_TYPE:
        return [Transcript.model_validate_json(json.dumps(scout.metadata["fields"]))]
    return from_conversation(scout, actions=actions)


def insert(store: Path, transcripts: Sequence[Transcript]) -> None:
    """Add transcripts to the store in `store`; those already there are left alone."""

    async def write() -> None:
        async with transcripts_db(str(store)) as database:
            await database.insert([to_scout(transcript) for transcript in transcripts])

    store.mkdir(parents=True, exist_ok=True)
    asyncio.run(write())
