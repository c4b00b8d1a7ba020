"""The last `\\boxed` or `\\fbox` of a text, in one pass over it.

Braces may nest, be escaped, or be missing (`\\boxed 5`); a box that is never closed is no box.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

_COMMAND: Final = re.compile(r"\\(?:boxed|fbox)(?![A-Za-z])\s*")
_BRACE: Final = re.compile(r"\\.|[{}]", re.DOTALL)
_TO_MATH_END: Final = re.compile(r"[^\n$]{1,200}?(?=\$|\\\)|\\\])")
_WORD: Final = re.compile(r"[^\s${}]+")


@dataclass(frozen=True)
class LastBox:
    """Content and start of the last whole box; whether an unclosed one follows it."""

    content: str | None
    start: int
    unclosed_after: bool


def last_box(text: str) -> LastBox:
    """Find the last whole box with content; of nested boxes the innermost."""
    commands = list(_COMMAND.finditer(text))
    if not commands:
        return LastBox(None, -1, unclosed_after=False)
    closing = _closing_braces(text)
    unclosed, limit = False, len(text)
    for command in reversed(commands):
        begin = command.end()
        if text.startswith("{", begin):
            end = closing.get(begin)
            unclosed |= end is None
            content = "" if end is None else text[begin + 1 : end].strip()
        else:
            bare = _TO_MATH_END.match(text, begin, limit) or _WORD.match(text, begin, limit)
            content = bare[0].strip().rstrip(".,;:") if bare else ""
        if content:
            return LastBox(content, command.start(), unclosed_after=unclosed)
        limit = command.start()
    return LastBox(None, -1, unclosed_after=unclosed)


def _closing_braces(text: str) -> dict[int, int]:
    closing: dict[int, int] = {}
    opened: list[int] = []
    for token in _BRACE.finditer(text):
        if token[0] == "{":
            opened.append(token.start())
        elif token[0] == "}" and opened:
            closing[opened.pop()] = token.start()
    return closing
