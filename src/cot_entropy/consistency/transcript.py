"""A transcript: what was asked, what was thought, what was answered or done."""

from __future__ import annotations

import hashlib
import re
from typing import Annotated, Any, Final, Literal

import rfc8785
from pydantic import AfterValidator, Field

from cot_entropy.base.strict import Strict

Split = Literal[
    "given",  # reasoning and answer came apart already
    "think_tags",  # <think> ... </think>, and the tags of other models
    "think_unopened",  # the template opened the block, so only the closing tag is in the text
    "think_unclosed",  # the text ended inside the block: no answer
    "marker",  # the answer is stated in so many words
    "judge",  # the judge said where the answer begins
    "bare",  # one sentence that only answers
    "undivided",  # prose in which nothing marks the answer: not judged
    "no_answer",  # cut off before an answer, or nothing at all
]
StepKind = Literal["question", "tool_result", "reasoning", "action", "answer"]

_UNENCODABLE = re.compile("[\ud800-\udfff\x00]")


def clean(text: str) -> str:
    """Text that UTF-8 and JSON stores can hold: lone surrogates and NUL become U+FFFD."""
    return _UNENCODABLE.sub("\ufffd", text)


Text = Annotated[str, AfterValidator(clean)]


class Step(Strict):
    """One thing that happened in a conversation."""

    kind: StepKind
    """What it was."""
    text: Text
    """Its words; a call of a tool is written `name({arguments})`."""
    message: Text = ""
    """Id of the message it stands in."""
    tools: tuple[Text, ...] = ()
    """Names of the tools that an action calls."""


class Transcript(Strict):
    """What is judged (C26): system prompt, question, reasoning, answer; any of them may be empty.

    `source` names the cell, log or file it came from; `truncated` says that the response ended at
    its token budget. A conversation of several turns holds its `steps` in order: `question`,
    `reasoning` and `answer` are then those of the turn that is judged, or, where `turn` is None, of
    the conversation as a whole.
    """

    id: Annotated[Text, Field(min_length=1)]
    source: Text
    system_prompt: Text = ""
    question: Text
    reasoning: Text
    answer: Text
    split: Split = "given"
    truncated: bool = False
    turn: int | None = None
    """Number of the answer or action that is judged, from 1; None for the whole."""
    steps: tuple[Step, ...] = ()
    """In order, up to the turn that is judged; empty where there is one question and one reply."""
    hidden: bool = False
    """Whether there is reasoning that cannot be read (redacted, encrypted, no summary)."""
    refused: bool = False
    """Whether the provider marked the reply as a refusal."""
    error: Text = ""
    """What ended the sample before its time."""
    model: Text = ""
    """The model that wrote it, as its log names it."""
    task: Text = ""
    """The task that it was given, as its log names it."""
    sample: Text = ""
    """The item of the task: the same in every epoch."""
    references: tuple[Text, ...] = ()
    """Ids of the messages with the reasoning, actions and answers that are judged."""

    def content(self) -> dict[str, Any]:
        """All fields that say something about the text; message ids may change between reads."""
        values = self.model_dump(
            mode="json",
            exclude_defaults=True,
            exclude={"references": True, "steps": {"__all__": {"message"}}},
        )
        return {**self.model_dump(mode="json", include=set(ALWAYS)), **values}

    def sha256(self) -> str:
        """The hash of `content`: the transcript's identity in a store and in the cache."""
        return hashlib.sha256(rfc8785.dumps(self.content())).hexdigest()


ALWAYS: Final = (
    "id", "source", "system_prompt", "question", "reasoning", "answer", "split", "truncated",
)  # fmt: skip
