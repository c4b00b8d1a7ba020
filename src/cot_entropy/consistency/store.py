"""Transcripts in Scout's own store, so that `scout scan` and its viewer work on them."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from inspect_ai.model import (
    ChatMessageAssistant,
    ChatMessageSystem,
    ChatMessageUser,
    ContentReasoning,
    ContentText,
)
from inspect_scout import Transcript as ScoutTranscript
from inspect_scout import transcripts_db

from cot_entropy.consistency.messages import from_messages
from cot_entropy.consistency.transcript import Transcript

SOURCE_TYPE = "cot-entropy"


def to_scout(transcript: Transcript) -> Any:
    """A Scout transcript whose id is the content's sha256; reasoning and answer stay apart."""
    content: list[Any] = []
    if transcript.reasoning:
        content.append(ContentReasoning(reasoning=transcript.reasoning))
    if transcript.answer:
        content.append(ContentText(text=transcript.answer))
    messages: list[Any] = []
    if transcript.system_prompt:
        messages.append(ChatMessageSystem(content=transcript.system_prompt))
    messages.append(ChatMessageUser(content=transcript.question))
    messages.append(ChatMessageAssistant(content=content))
    return ScoutTranscript(
        transcript_id=transcript.sha256(),
        source_type=SOURCE_TYPE,
        source_id=transcript.source,
        task_id=transcript.id,
        messages=messages,
        metadata={"fields": transcript.model_dump(mode="json")},
    )


def from_scout(scout: Any) -> Transcript:
    """The transcript in a Scout transcript: ours unchanged, any other read from its messages."""
    if scout.source_type == SOURCE_TYPE:
        return Transcript.model_validate(scout.metadata["fields"])
    return from_messages(
        scout.messages,
        id=scout.task_id or scout.transcript_id,
        source=scout.source_uri or scout.source_id or scout.source_type or "scout",
        truncated=scout.limit is not None,
    )


def insert(store: Path, transcripts: Sequence[Transcript]) -> None:
    """Add transcripts to the store in `store`; those already there are left alone."""

    async def write() -> None:
        async with transcripts_db(str(store)) as database:
            await database.insert([to_scout(transcript) for transcript in transcripts])

    store.mkdir(parents=True, exist_ok=True)
    asyncio.run(write())
