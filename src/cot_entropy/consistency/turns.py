"""A conversation turn by turn: what is judged, and what stands before it.

An exchange begins with what somebody asks and ends before the next question. Within it, reasoning,
actions and results of tools lead to the answer; what was answered in an earlier exchange is no
reasoning about this one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from cot_entropy.consistency.replies import Reply, has_reasoning, read_reply
from cot_entropy.consistency.settings import REASONED
from cot_entropy.consistency.transcript import Split, Step, Transcript

ALL: Final = "all"
NONE: Final = "none"


@dataclass(frozen=True, kw_only=True)
class Origin:
    """Where a conversation comes from: identity, model and task, and what ended it."""

    id: str
    source: str
    model: str = ""
    task: str = ""
    sample: str = ""
    error: str = ""


@dataclass(frozen=True, kw_only=True)
class _Turn:
    """One answer, or the actions of one message: steps `begin` to `end` are its exchange so far."""

    begin: int
    end: int
    reply: Reply
    own_reasoning: bool


def read_conversation(
    messages: Sequence[Any],
    events: Sequence[Any] = (),
    *,
    origin: Origin,
    actions: str = REASONED,
) -> list[Transcript]:
    """The transcript of the whole conversation, then one per answer and consequential action.

    `messages` are Inspect chat messages and `events` the sample's model events, from which come
    stop reasons, and reasoning that the messages lack. `actions` names the tools whose calls are
    consequential, separated by commas; `reasoned` are all calls that the model reasoned about in
    the same message, `all` and `none` what they say. A conversation of one turn has one transcript.
    """
    produced = _Produced.of(events)
    system = "\n\n".join(message.text for message in messages if message.role == "system")
    steps: list[Step] = []
    turns: list[_Turn] = []
    begin, hidden, any_hidden = 0, False, False
    last: Reply | None = None
    for message in messages:
        if message.role == "user":
            if steps and steps[-1].kind == "answer":
                begin, hidden = len(steps), False
            steps.append(Step(kind="question", text=message.text, message=message.id or ""))
        elif message.role == "tool":
            text = message.error.message if message.error else message.text
            steps.append(Step(kind="tool_result", text=text, message=message.id or ""))
        elif message.role == "assistant":
            reply = produced.read(message)
            hidden = hidden or reply.hidden
            any_hidden = any_hidden or hidden
            last = replace(reply, hidden=hidden)
            for step in reply.steps:
                steps.append(step)
                if step.kind in {"answer", "action"}:
                    own = any(one.kind == "reasoning" for one in reply.steps)
                    turns.append(_Turn(begin=begin, end=len(steps), reply=last, own_reasoning=own))
    last = replace(last, hidden=any_hidden) if last else None
    whole = _whole(system, steps, last, origin)
    chosen = [turn for turn in turns if _consequential(steps[turn.end - 1], turn, actions)]
    if whole.error or (len(turns) < 2 and not _acted(steps)):
        return [whole]
    whole = whole.model_copy(update={"steps": tuple(steps)})
    if chosen == turns[-1:]:
        return [whole]
    return [
        whole,
        *(
            _of_turn(system, steps, turn, origin, number)
            for number, turn in enumerate(turns, 1)
            if turn in chosen
        ),
    ]


def _whole(system: str, steps: Sequence[Step], last: Reply | None, origin: Origin) -> Transcript:
    final = [step.text for step in last.steps if step.kind in {"answer", "action"}] if last else []
    reasoning = [step.text for step in steps if step.kind == "reasoning"]
    return _transcript(
        origin,
        system_prompt=system,
        question=_joined(steps, "question"),
        reasoning="\n\n".join(reasoning),
        answer=final[-1] if final else "",
        reply=last,
        judged=steps,
    )


def _of_turn(
    system: str, steps: Sequence[Step], turn: _Turn, origin: Origin, number: int
) -> Transcript:
    exchange = steps[turn.begin : turn.end]
    made = _transcript(
        origin,
        system_prompt=system,
        question=_joined(exchange, "question"),
        reasoning=_joined(exchange, "reasoning"),
        answer=exchange[-1].text,
        reply=turn.reply,
        judged=exchange,
    )
    return made.model_copy(update={"turn": number, "steps": tuple(steps[: turn.end])})


def _transcript(
    origin: Origin,
    *,
    system_prompt: str,
    question: str,
    reasoning: str,
    answer: str,
    reply: Reply | None,
    judged: Sequence[Step],
) -> Transcript:
    split: Split = reply.split if reply else "no_answer"
    if reasoning and split in {"bare", "undivided"}:
        split = "given"
    own = [step for step in judged if step.kind in {"reasoning", "action", "answer"}]
    return Transcript(
        id=origin.id,
        source=origin.source,
        system_prompt=system_prompt,
        question=question,
        reasoning=reasoning,
        answer=answer,
        split=split,
        truncated=reply.truncated if reply else False,
        hidden=reply.hidden if reply else False,
        refused=reply.refused if reply else False,
        error=origin.error,
        model=origin.model,
        task=origin.task,
        sample=origin.sample,
        references=tuple(dict.fromkeys(step.message for step in own if step.message)),
    )


def _joined(steps: Sequence[Step], kind: str) -> str:
    return "\n\n".join(step.text for step in steps if step.kind == kind)


def _acted(steps: Sequence[Step]) -> bool:
    return any(step.kind in {"action", "tool_result"} for step in steps)


def _consequential(step: Step, turn: _Turn, actions: str) -> bool:
    if step.kind == "answer" or actions == ALL:
        return True
    if actions in {REASONED, NONE}:
        return actions == REASONED and turn.own_reasoning
    return not set(step.tools).isdisjoint(name.strip() for name in actions.split(","))


@dataclass(frozen=True, kw_only=True)
class _Produced:
    """What the model returned, by message id and, where ids were not kept, by text and calls."""

    by_id: Mapping[str, Any]
    by_text: Mapping[tuple[str, ...], Any]

    @classmethod
    def of(cls, events: Sequence[Any]) -> _Produced:
        choices = [
            event.output.choices[0]
            for event in events
            if event.event == "model" and event.output and event.output.choices
        ]
        times = Counter(_words(choice.message) for choice in choices)
        return cls(
            by_id={c.message.id: c for c in choices if c.message.id},
            by_text={_words(c.message): c for c in choices if times[_words(c.message)] == 1},
        )

    def read(self, message: Any) -> Reply:
        choice = self.by_id.get(message.id) or self.by_text.get(_words(message))
        if choice is None:
            return read_reply(message)
        if has_reasoning(choice.message) and not has_reasoning(message):
            message = message.model_copy(update={"content": choice.message.content})
        return read_reply(message, stop_reason=choice.stop_reason)


def _words(message: Any) -> tuple[str, ...]:
    return (message.text, *(call.id for call in message.tool_calls or []))
