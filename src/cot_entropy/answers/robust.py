"""The `robust` extraction rule: marker or box, then "answer is", then the last number.

It stops at an invented next question, and a box that was begun and never closed is no answer.
"""

from __future__ import annotations

import re
from typing import Final

from cot_entropy.answers.boxes import last_box
from cot_entropy.answers.kinds import AnswerKind
from cot_entropy.answers.numbers import WRITTEN, clean_written, last_written

_NEXT_QUESTION: Final = re.compile(
    r"^[ \t]*(?:[*#]+[ \t]*)?(?:(?:next|new|follow-up)[ \t]+)?"
    r"(?:question|problem|q|human|user|问题|题目)[ \t]*(?:[0-9]{1,4})?[ \t]*(?:\*\*)?[:.：]"
    r"|<\|im_start\|>|<\|endoftext\|>|<\|eot_id\|>",
    re.IGNORECASE | re.MULTILINE,
)
_MARKER: Final = re.compile(
    r"####"
    r"|(?:\b(?:final|correct)[ \t]+)?\banswer(?:[ \t]*\*\*)?[ \t]*[:：]"
    r"|^[ \t]*A:"
    r"|(?:最终)?答案?[:：]",
    re.IGNORECASE | re.MULTILINE,
)
_ANSWER_IS: Final = re.compile(
    r"\banswer(?:[ \t]+\S+){0,6}?[ \t]+(?:is|are|equals|would[ \t]+be)\b[ \t]*:?|答案(?:是|为)[:：]?",
    re.IGNORECASE,
)
_MATH: Final = re.compile(r"\$\$?(?P<a>[^$\n]+)\$|\\\((?P<b>[^\n]+?)\\\)|\\\[(?P<c>[^\n]+?)\\\]")
_LINE_END: Final = re.compile(r"\n|[.!?;。！？](?=\s|\*|$)|[。！？]")
_EMPHASIS: Final = re.compile(r"\*\*|__|(?<!\\)`")
_LONGEST_STATEMENT: Final = 200


def extract_robust(text: str, *, kind: AnswerKind) -> str | None:
    """The answer under `robust`, from folded text; None where there is none."""
    for segment in _segments(text):
        answer = _from_segment(segment, kind=kind)
        if answer is not None:
            return answer
    return None


def _segments(text: str) -> list[str]:
    starts = [0, *(match.start() for match in _NEXT_QUESTION.finditer(text)), len(text)]
    return [text[a:b] for a, b in zip(starts, starts[1:], strict=False) if text[a:b].strip()][:2]


def _from_segment(text: str, *, kind: AnswerKind) -> str | None:
    box = last_box(text)
    if box.content is None and box.unclosed_after:
        return None
    for marker in reversed(list(_MARKER.finditer(text))):
        if box.content is not None and marker.start() < box.start:
            break
        answer = _statement(text, marker.end(), kind=kind)
        if answer is not None:
            return answer
    if box.content is not None:
        return _as_number(box.content) if kind == "number" else box.content
    for cue in reversed(list(_ANSWER_IS.finditer(text))):
        answer = _statement(text, cue.end(), kind=kind)
        if answer is not None:
            return answer
    return last_written(text)


def _as_number(content: str) -> str:
    found = WRITTEN.search(content)
    return clean_written(found) if found else content


def _statement(text: str, begin: int, *, kind: AnswerKind) -> str | None:
    """What stands after a marker or a cue: its number, or the mathematics up to the line's end."""
    window = _EMPHASIS.sub("", text[begin : begin + _LONGEST_STATEMENT]).lstrip()
    end = _LINE_END.search(window)
    line = (window[: end.start()] if end else window).strip()
    if not line:
        return None
    if kind == "number":
        after_equals = line.rsplit("=", 1)[-1]
        found = WRITTEN.search(after_equals) or WRITTEN.search(line)
        return clean_written(found) if found else None
    math = _MATH.search(line)
    if math:
        return (math["a"] or math["b"] or math["c"]).strip()
    if " " not in line or not re.search(r"[A-Za-z]{2,} [A-Za-z]{2,}", line):
        return line.strip("$ ")
    return last_written(line)
