"""A transcript, and how a model's response is divided into its reasoning and its answer."""

from __future__ import annotations

import hashlib
import re
from typing import Annotated, Literal, NamedTuple

import rfc8785
from pydantic import AfterValidator, Field

from cot_entropy.base.strict import Strict

Split = Literal[
    "given",  # reasoning and answer came apart already
    "think_tags",  # <think> ... </think>
    "think_unopened",  # the template opened the block, so only </think> is in the text
    "think_unclosed",  # the text ended inside the block: no answer
    "marker",  # the last line states the answer in so many words
    "last_line",  # no marker: the last line is taken as the answer
    "no_answer",  # cut off before an answer, or nothing at all
]

_UNENCODABLE = re.compile("[\ud800-\udfff\x00]")


def clean(text: str) -> str:
    """Text that UTF-8 and JSON stores can hold: lone surrogates and NUL become U+FFFD."""
    return _UNENCODABLE.sub("\ufffd", text)


Text = Annotated[str, AfterValidator(clean)]


class Transcript(Strict):
    """What is judged (C26): system prompt, question, reasoning, answer; any of them may be empty.

    `source` names the cell, log or file it came from; `truncated` says that the response ended at
    its token budget.
    """

    id: Annotated[Text, Field(min_length=1)]
    source: Text
    system_prompt: Text = ""
    question: Text
    reasoning: Text
    answer: Text
    split: Split = "given"
    truncated: bool = False

    def sha256(self) -> str:
        """The hash of all fields: the transcript's identity in a store and in the cache."""
        return hashlib.sha256(rfc8785.dumps(self.model_dump(mode="json"))).hexdigest()


class Response(NamedTuple):
    """A response divided in two, and the rule that divided it."""

    reasoning: str
    answer: str
    split: Split


_OPEN = re.compile(r"\s*<think>", re.IGNORECASE)
_CLOSE = re.compile(r"</think>", re.IGNORECASE)

_MARKER = re.compile(
    r"""
    \#{4}\s | \\(?:boxed|fbox)\s{0,3}\{
    | \b(?:final\s{1,3}|correct\s{1,3})?answer\s{0,3}(?:\*\*)?\s{0,3}(?:is\b|:|=)
    | \b(?:endgültige\s{1,3})?antwort\s{0,3}(?:\*\*)?\s{0,3}(?:ist\b|:|lautet\b)
    | \brespuesta\s{0,3}(?:final\s{0,3})?(?:\*\*)?\s{0,3}(?:es\b|:)
    | \bréponse\s{0,3}(?:finale\s{0,3})?(?:\*\*)?\s{0,3}(?:est\b|:)
    | \brisposta\s{0,3}(?:finale\s{0,3})?(?:\*\*)?\s{0,3}(?:è\b|:)
    | (?:最终)?答案\s{0,3}(?:是|为|:|：)
    """,
    re.IGNORECASE | re.VERBOSE,
)
_CLOSERS_ONLY = re.compile(r"(?:\\end\{[a-z*]+\}|[\s\])}$*`\\.。])*+")
_SENTENCE_START = re.compile(r"(?:(?<=[.!?;])\s+|(?<=[。！？；]))")


def split_response(text: str, *, truncated: bool = False) -> Response:
    """Divide a response into reasoning and answer; first match wins.

    1. `<think>` blocks, also without their opening tag (templates that open the block themselves)
       or their closing one (cut off: no answer). As in vLLM's reasoning parsers, the first closing
       tag ends the reasoning.
    2. The last line, from the sentence that states the answer (`The answer is`, `####`,
       `\\boxed{`; also German, Spanish, French, Italian and Chinese).
    3. A truncated response has no answer; otherwise the last line is the answer.
    """
    opening = _OPEN.match(text)
    body = text[opening.end() :] if opening else text
    closing = _CLOSE.search(body)
    if closing:
        split: Split = "think_tags" if opening else "think_unopened"
        return Response(body[: closing.start()].strip(), body[closing.end() :].strip(), split)
    if opening:
        return Response(body.strip(), "", "think_unclosed")
    start = _last_line(text)
    last = text[start:]
    marker = _MARKER.search(last)
    if marker:
        breaks = [m.end() for m in _SENTENCE_START.finditer(last, 0, marker.start() + 1)]
        cut = start + max((b for b in breaks if b <= marker.start()), default=0)
        return Response(text[:cut].strip(), text[cut:].strip(), "marker")
    if truncated or not text.strip():
        return Response(text.strip(), "", "no_answer")
    return Response(text[:start].strip(), last.strip(), "last_line")


def _last_line(text: str) -> int:
    """Where the last line begins that holds more than closing brackets."""
    end = len(text)
    while end > 0:
        start = text.rfind("\n", 0, end) + 1
        if not _CLOSERS_ONLY.fullmatch(text, start, end):
            return start
        end = start - 1
    return 0
