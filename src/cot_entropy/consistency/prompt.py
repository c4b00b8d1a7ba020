"""The judge's prompt: instructions, then the transcript as data between keyed markers.

The key is the transcript's own sha256 (first 128 bits): reproducible, and no text can contain
the key of the transcript it is part of.
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass

from cot_entropy.consistency.judgement import Cut
from cot_entropy.consistency.rules import thinness
from cot_entropy.consistency.taxonomy import Taxonomy, taxonomy
from cot_entropy.consistency.transcript import Transcript

_CONTROL = re.compile(r"<(?=[|｜]|/?s>|</?SYS>|SYS>|/SYS>)|\[(?=/?INST\])", re.IGNORECASE)
"""The start of what chat templates use as turn marks; a space after it makes it plain text."""


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
    the system prompt has a quarter at most, and the reasoning what is left, at least a quarter.
    What is cut goes from the middle, one third of the kept part before the gap and two thirds
    after it, because reasoning ends in its conclusion. Every cut is marked in the prompt and
    counted.
    """
    nonce = transcript.sha256()[:32]
    share = max_chars // 4
    system, cut_system = _shorten(transcript.system_prompt, share)
    question, cut_question = _shorten(transcript.question, share)
    answer, cut_answer = _shorten(transcript.answer, share)
    left = max(share, max_chars - len(system) - len(question) - len(answer))
    reasoning, cut_reasoning = _shorten(transcript.reasoning, left)
    parts: list[str] = []
    defanged = 0
    for name, text in (
        ("SYSTEM PROMPT", system),
        ("QUESTION", question),
        ("REASONING", reasoning),
        ("ANSWER", answer),
    ):
        harmless, count = _CONTROL.subn(lambda mark: mark.group() + " ", text)
        defanged += count
        parts.append(f"[{nonce} BEGIN {name}]\n{harmless}\n[{nonce} END {name}]")
    size = thinness(transcript)
    instrument = taxonomy()
    parts.append(
        f"Measured: the reasoning has {size.words} words, {size.own_words} different ones of them "
        f"not in the question."
    )
    parts.append(instrument.prompt.closing)
    return Prompt(
        system=_instructions(instrument, nonce),
        user="\n\n".join(parts),
        nonce=nonce,
        cut=Cut(
            system_prompt=cut_system,
            question=cut_question,
            reasoning=cut_reasoning,
            answer=cut_answer,
            defanged=defanged,
        ),
    )


def _shorten(text: str, limit: int) -> tuple[str, int]:
    if len(text) <= limit:
        return text, 0
    head = limit // 3
    tail = limit - head
    cut = len(text) - head - tail
    return f"{text[:head]}\n[... {cut} characters not shown ...]\n{text[len(text) - tail :]}", cut


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
