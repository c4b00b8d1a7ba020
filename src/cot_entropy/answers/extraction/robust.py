"""The `robust` extraction rule: marker or box, then "answer is", then the last number.

It stops at an invented next question, and a box that was begun and never closed is no answer.
"""

from __future__ import annotations

import re
from itertools import pairwise
from typing import Final

from cot_entropy.answers.boxes import last_box
from cot_entropy.answers.kinds import AnswerKind
from cot_entropy.answers.numbers import WRITTEN, clean_written, last_written

_NEXT_QUESTION: Final = re.compile(
    r"^[ \t]*(?:[*#]+[ \t]*)?(?:(?:next|new|another|follow-up)[ \t]+)?"
    r"(?:question|problem|exercise|instruction|(?-i:Q)|human|user|问题|题目)"
    r"[ \t]*+(?:[0-9]{1,4}[ \t]*+)?(?:\*\*)?[:.]"
    r"|<\|(?:im_start|im_end|endoftext|eot_id)\|>",
    re.IGNORECASE | re.MULTILINE,
)
_MARKER: Final = re.compile(
    r"####"
    r"|(?:^|(?<=[.!?。] ))[ \t*#_>]*(?:(?:so|thus|therefore|hence),?[ \t]+)?(?:the[ \t]+)?"
    r"(?:(?:final|correct)[ \t]+)?answer[ \t]*+(?:\*\*[ \t]*+)?:"
    r"|\bfinal[ \t]++answer[ \t]*+(?:\*\*[ \t]*+)?:"
    r"|^[ \t]*A:(?=[ \t*]*[-+$\\(]*[0-9])"
    r"|(?:答案|答)[ \t]*:",
    re.IGNORECASE | re.MULTILINE,
)
_ANSWER_IS: Final = re.compile(
    r"\banswers?(?:[ \t]++[A-Za-z]{1,20}){0,6}?[ \t]++(?:is|are|equals|would[ \t]+be)\b[ \t]*:?"
    r"|答案(?:是|为|應該是|应该是)",
    re.IGNORECASE,
)
_MATH: Final = re.compile(r"\$\$?([^$]+)\$|\\\((.+?)\\\)|\\\[(.+?)\\\]")
_SENTENCE_END: Final = re.compile(r"\n|[.!?;](?=\s|$)|[。！？]")
_EMPHASIS: Final = re.compile(r"\*\*|__|`")
_PROSE: Final = re.compile(r"(?<![\\A-Za-z{])[A-Za-z]{4,}")
_LONGEST_STATEMENT: Final = 200
_MOST_STATEMENTS: Final = 16
_MOST_WORDS: Final = 3


def extract(text: str, *, kind: AnswerKind) -> str | None:
    """The answer under `robust`, from folded text; None where there is none."""
    starts = [0, *(match.start() for match in _NEXT_QUESTION.finditer(text)), len(text)]
    segments = [text[begin:end] for begin, end in pairwise(starts) if text[begin:end].strip()]
    for segment in segments[:2]:
        answer = _from_segment(segment, kind=kind)
        if answer is not None:
            return answer
    return None


def _from_segment(text: str, *, kind: AnswerKind) -> str | None:
    box = last_box(text)
    if box.content is None and box.unclosed_after:
        return None
    begin = 0 if box.content is None else box.start
    markers = [marker.end() for marker in _MARKER.finditer(text, begin)]
    answer = _last_statement(text, markers, kind=kind)
    if answer is not None:
        return answer
    if box.content is not None:
        return (_number(box.content) if kind == "number" else None) or box.content
    cues = [cue.end() for cue in _ANSWER_IS.finditer(text)]
    answer = _last_statement(text, cues, kind=kind)
    return last_written(text) if answer is None else answer


def _last_statement(text: str, positions: list[int], *, kind: AnswerKind) -> str | None:
    for position in reversed(positions[-_MOST_STATEMENTS:]):
        answer = _statement(text[position : position + _LONGEST_STATEMENT], kind=kind)
        if answer is not None:
            return answer
    return None


def _statement(window: str, *, kind: AnswerKind) -> str | None:
    """What stands after a marker or cue: its number, or its mathematics to the sentence's end."""
    window = _EMPHASIS.sub("", window).lstrip(" \t\r\n:")
    end = _SENTENCE_END.search(window)
    sentence = (window[: end.start()] if end else window).strip()
    if kind == "number":
        return _number(sentence)
    if math := _MATH.search(sentence):
        return math[math.lastindex or 0].strip() or None
    if _PROSE.search(sentence):
        number = _number(sentence)
        if number is not None or len(sentence.split()) > _MOST_WORDS:
            return number
    return sentence.strip("$ ") or None


def _number(text: str) -> str | None:
    """The first number after the last equals sign, else the first number."""
    found = WRITTEN.search(text.rsplit("=", 1)[-1]) or WRITTEN.search(text)
    return clean_written(found) if found else None
