"""The judge's prompt: instructions, then the transcript as data between keyed markers.

The key is the transcript's own sha256 (first 128 bits): reproducible, and no text can contain
the key of the transcript it is part of.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from cot_entropy.consistency.judgement import Cut
from cot_entropy.consistency.rules import thinness
from cot_entropy.consistency.taxonomy import Taxonomy, taxonomy
from cot_entropy.consistency.transcript import Transcript

_CONTROL = re.compile(
    r"<(?=[|｜]|(?:turn|channel|message|tool_call|tool_response)\||/?s>|</?SYS>|/?SYS>|bos>|eos>"
    r"|(?:start|end)_of_turn>|/?(?:think|thinking|thought|reasoning|seed:think)>)"
    r"|\[(?=/?(?:INST|THINK|SYSTEM_PROMPT|AVAILABLE_TOOLS|TOOL_CALLS|TOOL_RESULTS)\])",
    re.IGNORECASE,
)
"""The start of what chat templates use as marks; a space after it makes it plain text."""


@dataclass(frozen=True)
class Prompt:
    """What is sent to the judge, and what was left out of it."""

    system: str
    user: str
    nonce: str
    cut: Cut

    def sha256(self) -> str:
        """The hash of both messages."""
        return hashlib.sha256(f"{self.system}\0{self.user}".encode()).hexdigest()


def build_prompt(transcript: Transcript, *, max_chars: int) -> Prompt:
    """The prompt for one transcript, with at most about `max_chars` characters of it.

    Question and answer are shown whole unless one of them alone exceeds a quarter of `max_chars`;
    the system prompt has a quarter at most, and the reasoning what is left, at least a quarter. Of
    several turns, the last action or answer has a quarter at most and the other parts share what is
    left: only parts longer than an equal share are cut. What is cut goes from the middle, one third
    of the kept part before the gap and two thirds after it, because reasoning ends in its
    conclusion. Every cut is marked in the prompt and counted.
    """
    nonce = transcript.sha256()[:32]
    system = _Part("SYSTEM PROMPT", "system_prompt", transcript.system_prompt)
    parts = _turns(transcript) if transcript.steps else _single(transcript)
    shown, cuts, defanged = [], Counter[str](), 0
    for part, (text, cut) in _within(max_chars, system, parts):
        harmless, count = _CONTROL.subn(lambda mark: mark.group() + " ", text)
        defanged += count
        cuts[part.field] += cut
        shown.append(f"[{nonce} BEGIN {part.name}]\n{harmless}\n[{nonce} END {part.name}]")
    instrument = taxonomy()
    if transcript.steps:
        shown.append(instrument.prompt.turns)
        if transcript.turn is not None:
            shown.append(instrument.prompt.one_turn)
    size = thinness(transcript)
    shown.append(
        f"Measured: the reasoning has {size.words} words, {size.own_words} different ones of them "
        f"not in the question."
    )
    shown.append(instrument.prompt.closing)
    return Prompt(
        system=_instructions(instrument, nonce),
        user="\n\n".join(shown),
        nonce=nonce,
        cut=Cut(**cuts, defanged=defanged),
    )


@dataclass(frozen=True)
class _Part:
    name: str
    field: str
    """Where what is cut from it is counted."""
    text: str


def _single(transcript: Transcript) -> list[_Part]:
    return [
        _Part("QUESTION", "question", transcript.question),
        _Part("REASONING", "reasoning", transcript.reasoning),
        _Part("ANSWER", "answer", transcript.answer),
    ]


def _turns(transcript: Transcript) -> list[_Part]:
    fields = {"tool_result": "question", "action": "answer"}
    return [
        _Part(
            f"{number} {step.kind.replace('_', ' ').upper()}",
            fields.get(step.kind, step.kind),
            step.text,
        )
        for number, step in enumerate(transcript.steps, 1)
    ]


def _within(
    max_chars: int, system: _Part, parts: Sequence[_Part]
) -> list[tuple[_Part, tuple[str, int]]]:
    """Every part with its text, shortened where it must be, and the number of characters cut."""
    share = max_chars // 4
    whole = {id(system)} | {id(part) for part in parts if part.name in {"QUESTION", "ANSWER"}}
    if not len(whole) > 1 and parts:
        whole.add(id(parts[-1]))
    fixed = {id(part): _shorten(part.text, share) for part in [system, *parts] if id(part) in whole}
    left = max(share, max_chars - sum(len(text) for text, _ in fixed.values()))
    limit = _equal_share([len(part.text) for part in parts if id(part) not in whole], left)
    return [
        (part, fixed[id(part)] if id(part) in whole else _shorten(part.text, limit))
        for part in [system, *parts]
    ]


def _equal_share(lengths: Sequence[int], total: int) -> int:
    """The largest limit at which parts of these lengths, cut to it, hold `total` characters."""
    waiting = sorted(lengths)
    while waiting and waiting[0] * len(waiting) <= total:
        total -= waiting.pop(0)
    return total // len(waiting) if waiting else max(lengths, default=0)


def _shorten(text: str, limit: int) -> tuple[str, int]:
    if len(text) <= limit:
        return text, 0
    head = limit // 3
    tail = limit - head
    cut = len(text) - head - tail
    return f"{text[:head]}\n[... {cut} characters not shown ...]\n{text[len(text) - tail :]}", cut


def build_division(transcript: Transcript, *, max_chars: int) -> Prompt:
    """The question where the answer of an undivided response begins."""
    nonce = transcript.sha256()[:32]
    text, cut = _shorten(transcript.answer, max_chars)
    harmless, count = _CONTROL.subn(lambda mark: mark.group() + " ", text)
    return Prompt(
        system=taxonomy().prompt.divide.format(nonce=nonce),
        user=f"[{nonce} BEGIN RESPONSE]\n{harmless}\n[{nonce} END RESPONSE]",
        nonce=nonce,
        cut=Cut(answer=cut, defanged=count),
    )


def _instructions(instrument: Taxonomy, nonce: str) -> str:
    steps = [
        f"{step.step}. {step.test} -> {step.label}" + (f", {step.subtype}" if step.subtype else "")
        for step in instrument.procedure
    ]
    contrasts = [f"- {' v '.join(entry.between)}: {entry.rule}" for entry in instrument.contrasts]
    return "\n\n".join(
        [
            instrument.prompt.opening,
            f"Definition. {instrument.definition}",
            "Not an inconsistency:\n"
            + "\n".join(f"- {entry}" for entry in instrument.not_inconsistency),
            "Steps, the first that applies decides:\n" + "\n".join(steps),
            "Neighbouring outcomes:\n" + "\n".join(contrasts),
            "Scope:\n" + "\n".join(f"- {entry}" for entry in instrument.scope),
            instrument.prompt.data_rule.format(nonce=nonce),
        ]
    )
