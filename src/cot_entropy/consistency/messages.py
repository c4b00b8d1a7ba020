"""A conversation as one transcript: what was asked, what was thought, what was answered."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from inspect_ai.model import ContentReasoning, ContentText

from cot_entropy.consistency.transcript import Response, Split, Transcript, split_response


def from_messages(
    messages: Sequence[Any], *, id: str, source: str, truncated: bool = False
) -> Transcript:
    """The transcript of a list of Inspect chat messages.

    The last assistant message is the reply: its reasoning blocks are the reasoning and its text
    and tool calls the answer; a reply that is text alone is divided as a chain is. In a longer
    conversation everything between the first user message and the reply is kept: assistant turns
    as reasoning before the reply's own, user and tool turns as question.
    """
    system = [message.text for message in messages if message.role == "system"]
    turns = [message for message in messages if message.role != "system"]
    replies = [index for index, turn in enumerate(turns) if turn.role == "assistant"]
    last = replies[-1] if replies else len(turns)
    question = [turn.text for turn in turns[:last] if turn.role != "assistant"]
    earlier = [_flat(turn) for turn in turns[:last] if turn.role == "assistant"]
    reply = _divide(turns[last], truncated=truncated) if replies else _NOTHING
    return Transcript(
        id=id,
        source=source,
        system_prompt="\n\n".join(system),
        question="\n\n".join(question),
        reasoning="\n\n".join(part for part in [*earlier, reply.reasoning] if part),
        answer=reply.answer,
        split=reply.split,
        truncated=truncated,
    )


_NOTHING = Response("", "", "no_answer")


def _divide(message: Any, *, truncated: bool) -> Response:
    reasoning, text = _parts(message)
    calls = _calls(message)
    if reasoning or calls:
        split: Split = "given"
        thought = reasoning
        if not thought and text:
            thought, text = text, ""
        return Response(thought, "\n".join(part for part in [text, calls] if part), split)
    return split_response(text, truncated=truncated)


def _flat(message: Any) -> str:
    reasoning, text = _parts(message)
    return "\n".join(part for part in [reasoning, text, _calls(message)] if part)


def _parts(message: Any) -> tuple[str, str]:
    """The reasoning and the text of a message; redacted reasoning counts by its summary."""
    if isinstance(message.content, str):
        return "", message.content
    reasoning = [
        (block.summary or "") if block.redacted else block.reasoning
        for block in message.content
        if isinstance(block, ContentReasoning)
    ]
    text = [block.text for block in message.content if isinstance(block, ContentText)]
    return "\n".join(part for part in reasoning if part), "\n".join(text)


def _calls(message: Any) -> str:
    calls = message.tool_calls or []
    return "\n".join(
        f"{call.function}({json.dumps(call.arguments, ensure_ascii=False, sort_keys=True)})"
        for call in calls
    )
