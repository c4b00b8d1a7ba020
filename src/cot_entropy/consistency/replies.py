"""One message of a model as steps: what it thought, did and said."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from inspect_ai.model import ContentReasoning, ContentText, ContentToolUse

from cot_entropy.consistency.dividing import split_response
from cot_entropy.consistency.transcript import Split, Step, StepKind

THINKING_TOOL = "think"
"""Inspect's tool to which a model writes its thoughts."""


@dataclass(frozen=True, kw_only=True)
class Reply:
    """The steps of one assistant message, in order; `split` says how its text was divided."""

    steps: tuple[Step, ...]
    split: Split
    hidden: bool
    refused: bool
    truncated: bool


@dataclass
class _Reading:
    message: str
    steps: list[Step] = field(default_factory=list)
    text: list[str] = field(default_factory=list)
    """Text that is not yet known to be narration or answer."""

    def add(self, kind: StepKind, text: str, *tools: str) -> None:
        last = self.steps[-1] if self.steps else None
        if last is not None and last.kind == kind:
            text, tools = f"{last.text}\n{text}", (*last.tools, *tools)
            self.steps.pop()
        if text.strip():
            self.steps.append(Step(kind=kind, text=text, message=self.message, tools=tools))

    def act(self, call: str, tool: str) -> None:
        """A call; text before it is what the model thought, unless it thought elsewhere."""
        said = self.take()
        if said and not self.thought:
            self.add("reasoning", said)
            said = ""
        self.add("action", f"{said}\n{call}" if said else call, tool)

    def take(self) -> str:
        said, self.text = "\n".join(part for part in self.text if part), []
        return said

    @property
    def thought(self) -> bool:
        return any(step.kind == "reasoning" for step in self.steps)


def read_reply(message: Any, *, stop_reason: str = "stop") -> Reply:
    """Divide an Inspect assistant message; `stop_reason` as in Inspect's model output.

    Reasoning blocks are reasoning; a redacted or empty one counts by its summary, and without one
    it is hidden. Calls of tools, also of those that the provider runs itself, are actions, calls of
    Inspect's `think` tool reasoning. Text before a call is reasoning where no block is. Text at the
    end is the answer, and is divided where the message has no reasoning beside it.
    """
    truncated = stop_reason in {"max_tokens", "model_length"}
    reading = _Reading(message.id or "")
    hidden, refused = False, stop_reason == "content_filter"
    for block in _blocks(message):
        if isinstance(block, ContentReasoning):
            thought = "" if block.redacted else block.reasoning
            thought = thought if thought.strip() else block.summary or ""
            hidden = hidden or (not thought.strip() and (block.redacted or bool(block.signature)))
            reading.add("reasoning", "\n".join(part for part in (reading.take(), thought) if part))
        elif isinstance(block, ContentToolUse):
            reading.act(f"{block.name}({block.arguments})", block.name)
            reading.add("tool_result", block.error or block.result)
        elif isinstance(block, ContentText):
            refused = refused or bool(block.refusal)
            reading.text.append(block.text)
    split: Split = "given"
    calls = message.tool_calls or []
    for call in calls:
        if call.function == THINKING_TOOL and isinstance(call.arguments.get("thought"), str):
            reading.add("reasoning", "\n".join(filter(None, [reading.take(), _thought(call)])))
        else:
            arguments = json.dumps(call.arguments, ensure_ascii=False, sort_keys=True)
            reading.act(f"{call.function}({arguments})", call.function)
    if not calls:
        text = reading.take()
        if reading.thought:
            reading.add("answer", text)
        else:
            reasoning, answer, split = split_response(text, truncated=truncated)
            reading.add("reasoning", reasoning)
            reading.add("answer", answer)
    return Reply(
        steps=tuple(reading.steps), split=split, hidden=hidden, refused=refused, truncated=truncated
    )


def has_reasoning(message: Any) -> bool:
    """Whether a message holds a reasoning block, readable or not."""
    return any(isinstance(block, ContentReasoning) for block in _blocks(message))


def _blocks(message: Any) -> Sequence[Any]:
    if isinstance(message.content, str):
        return [ContentText(text=message.content)]
    return list(message.content)


def _thought(call: Any) -> str:
    return str(call.arguments["thought"])
