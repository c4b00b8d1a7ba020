"""Conversations in Scout's form, from Inspect logs or any of Scout's sources, one way for all."""

from __future__ import annotations

import asyncio
import sqlite3
import zipfile
from pathlib import Path
from typing import Any, Final

from inspect_ai._util.error import PrerequisiteError  # not exported; a log that is none raises it
from inspect_ai.log import list_eval_logs
from inspect_scout import transcripts_from
from inspect_scout._transcript.types import TranscriptContent  # not exported
from pydantic import ValidationError

from cot_entropy.base.errors import DataError
from cot_entropy.consistency.settings import REASONED
from cot_entropy.consistency.transcript import Transcript
from cot_entropy.consistency.turns import Origin, read_conversation

EVENTS: Final = ["model"]
"""The events that a reading needs: they hold stop reasons, and reasoning that messages lack."""


def from_conversation(scout: Any, *, actions: str = REASONED) -> list[Transcript]:
    """The transcripts of a Scout transcript: the whole, then its answers and actions.

    The id is `task/sample/epoch/eval` for a sample of an evaluation, else Scout's own.
    """
    known = scout.task_set and scout.task_id and scout.task_repeat is not None
    sample = f"{scout.task_set}/{scout.task_id}" if known else str(scout.transcript_id)
    identity = f"{sample}/{scout.task_repeat}/{scout.source_id}" if known else sample
    return read_conversation(
        scout.messages,
        scout.events,
        actions=actions,
        origin=Origin(
            id=identity,
            source=Path(scout.source_uri or scout.source_id or scout.source_type or "scout").name,
            model=scout.model or "",
            task=scout.task_set or "",
            sample=sample,
            error=" ".join((scout.error or "").split()),
        ),
    )


def read_inspect_logs(folder: Path, *, actions: str = REASONED) -> list[Transcript]:
    """The transcripts of every sample of every Inspect log below `folder`, read as Scout does.

    Raises DataError where there is no log, one cannot be read, or none holds a sample that ended
    without an error.
    """
    if not folder.exists():
        raise DataError(f"{folder}: no such folder")
    logs = list_eval_logs(str(folder))
    if not logs:
        raise DataError(f"{folder}: no Inspect log (.eval) below it")
    found: list[Transcript] = []
    for name in sorted(str(log.name) for log in logs):
        for scout in _read(name):
            found.extend(from_conversation(scout, actions=actions))
    if not found:
        raise DataError(f"{folder}: its logs hold no sample; run the evaluation again")
    return found


def _read(name: str) -> list[Any]:
    async def read() -> list[Any]:
        wanted = TranscriptContent(messages="all", events=EVENTS)
        async with transcripts_from(name).reader() as reader:
            return [await reader.read(info, wanted) async for info in reader.index()]

    try:
        found = asyncio.run(read())
    except (
        OSError, ValueError, KeyError, TypeError, EOFError, zipfile.BadZipFile, sqlite3.Error,
        ValidationError, PrerequisiteError,
    ) as error:  # fmt: skip
        detail = " ".join(str(error).split())
        raise DataError(f"{name}: not a readable Inspect log ({detail})") from None
    return sorted(found, key=_place)


def _place(scout: Any) -> tuple[int, str, int]:
    """Samples in the order of their ids, numbers as numbers, then by epoch."""
    name = str(scout.task_id)
    number = int(name) if name.isascii() and name.isdigit() and len(name) < 16 else 0
    return number, name, int(scout.task_repeat or 0)
