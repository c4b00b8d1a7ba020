from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

from inspect_scout import transcripts_from

from cot_entropy.consistency.store import from_scout, insert, to_scout
from cot_entropy.consistency.transcript import Step, Transcript

TRANSCRIPT = Transcript(
    id="q1",
    source="model/data",
    system_prompt="p",
    question="q\n",
    reasoning=" r ",
    answer="a",
    split="marker",
)


def stored(folder: Path) -> list[Any]:
    async def read() -> list[Any]:
        found = []
        async with transcripts_from(str(folder)).reader() as reader:
            async for info in reader.index():
                found.append(info)
        return found

    return asyncio.run(read())


def test_inserting_twice_adds_nothing(tmp_path: Path) -> None:
    """The content's hash is the id."""
    for _ in range(2):
        insert(tmp_path / "store", [TRANSCRIPT])
    assert [info.transcript_id for info in stored(tmp_path / "store")] == [TRANSCRIPT.sha256()]


def test_a_changed_transcript_is_another_one(tmp_path: Path) -> None:
    """A regenerated chain never inherits an old judgement."""
    insert(tmp_path / "store", [TRANSCRIPT])
    insert(tmp_path / "store", [TRANSCRIPT.model_copy(update={"answer": "b"})])
    assert len(stored(tmp_path / "store")) == 2


def test_what_comes_back_is_what_went_in() -> None:
    """White space and the splitting rule included."""
    assert from_scout(to_scout(TRANSCRIPT)) == [TRANSCRIPT]


def test_an_empty_answer_comes_back_empty() -> None:
    """No part is invented for Scout's sake."""
    empty = TRANSCRIPT.model_copy(update={"answer": "", "reasoning": ""})
    assert from_scout(to_scout(empty)) == [empty]


def test_scouts_viewer_sees_reasoning_and_answer_apart() -> None:
    """The assistant message has a reasoning block and a text block."""
    reply = to_scout(TRANSCRIPT).messages[-1]
    assert [block.type for block in reply.content] == ["reasoning", "text"]


def test_the_messages_of_a_conversation_keep_their_ids_and_order() -> None:
    """So that references to them lead somewhere in Scout's viewer."""
    steps = (
        Step(kind="question", text="How many?", message="m1"),
        Step(kind="reasoning", text="I look.", message="m2"),
        Step(kind="action", text="ls({})", message="m2", tools=("ls",)),
        Step(kind="tool_result", text="a.txt", message="m3"),
        Step(kind="answer", text="One.", message="m4"),
    )
    whole = TRANSCRIPT.model_copy(update={"steps": steps})
    shown = to_scout(whole).messages
    assert [(one.role, one.id) for one in shown[1:]] == [
        ("user", "m1"),
        ("assistant", "m2"),
        ("tool", "m3"),
        ("assistant", "m4"),
    ]
    assert from_scout(to_scout(whole)) == [whole]
