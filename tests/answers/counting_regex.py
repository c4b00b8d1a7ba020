"""Counts the steps of a backtracking regex engine, so that work is measured without a clock.

`CountingPattern` stands in for an `re.Pattern`. It walks the parse tree that the standard library
compiles, as `re` does (leftmost, greedy first, backtracking), counts every test of a position, and
checks that it finds the spans that `re` finds; what it returns is `re`'s own result.
"""

# ruff: noqa: PLR0917  # a continuation-passing engine hands its whole state on

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from re import _constants as op
from re import _parser as parser
from typing import Any

Next = Callable[[int], int | None]


@dataclass
class Counter:
    steps: int = 0


@cache
def _single(kind: Any, value: Any, flags: int) -> Callable[[str], bool] | None:
    """The test of one character, where the node is one."""
    if kind is op.ANY:
        return (lambda c: True) if flags & re.DOTALL else (lambda c: c != "\n")
    if kind is op.LITERAL:
        source = re.escape(chr(value))
    elif kind is op.NOT_LITERAL:
        source = f"[^{re.escape(chr(value))}]"
    elif kind is op.IN:
        source = f"[{''.join(_class_item(*item) for item in value)}]"
    else:
        return None
    compiled = re.compile(source, flags & (re.IGNORECASE | re.ASCII))
    return cache(lambda c: compiled.fullmatch(c) is not None)


def _class_item(kind: Any, value: Any) -> str:
    if kind is op.NEGATE:
        return "^"
    if kind is op.LITERAL:
        return re.escape(chr(value))
    if kind is op.RANGE:
        return f"{re.escape(chr(value[0]))}-{re.escape(chr(value[1]))}"
    names = {op.CATEGORY_DIGIT: "d", op.CATEGORY_SPACE: "s", op.CATEGORY_WORD: "w"}
    return "\\" + (
        names.get(value) or {op.CATEGORY_NOT_WORD: "W", op.CATEGORY_NOT_SPACE: "S"}[value]
    )


class CountingPattern:
    def __init__(self, pattern: re.Pattern[str], counter: Counter) -> None:
        self.real = pattern
        self.counter = counter
        self.nodes = list(parser.parse(pattern.pattern, pattern.flags))

    # the part of re.Pattern's interface that the extraction uses

    def finditer(self, text: str, pos: int = 0) -> Iterator[re.Match[str]]:
        found = list(self.real.finditer(text, pos))
        assert [match.span() for match in found] == list(self._spans(text, pos))
        return iter(found)

    def search(self, text: str) -> re.Match[str] | None:
        found = self.real.search(text)
        assert next(self._spans(text, 0), None) == (found.span() if found else None)
        return found

    def match(self, text: str, pos: int = 0, end: int | None = None) -> re.Match[str] | None:
        end = len(text) if end is None else end
        found = self.real.match(text, pos, end)
        assert self._end(text[:end], pos) == (found.end() if found else None)
        return found

    def sub(self, replacement: Any, text: str) -> str:
        list(self._spans(text, 0))
        return self.real.sub(replacement, text)

    # the engine

    def _spans(self, text: str, start: int) -> Iterator[tuple[int, int]]:
        last_end = -1
        while start <= len(text):
            end = self._end(text, start)
            if end is None or (end == start == last_end):
                start += 1
                continue
            yield start, end
            last_end, start = end, end if end > start else start + 1

    def _end(self, text: str, start: int) -> int | None:
        return self._sequence(self.nodes, 0, self.real.flags, text, start, lambda end: end)

    def _sequence(
        self, nodes: Any, index: int, flags: int, text: str, at: int, go: Next
    ) -> int | None:
        if index == len(nodes):
            return go(at)
        kind, value = nodes[index]
        return self._node(
            kind, value, flags, text, at,
            lambda end: self._sequence(nodes, index + 1, flags, text, end, go),
        )  # fmt: skip

    def _node(self, kind: Any, value: Any, flags: int, text: str, at: int, go: Next) -> int | None:
        self.counter.steps += 1
        single = None if kind in _COMPOUND else _single(kind, _hashable(value), flags)
        if single is not None:
            return go(at + 1) if at < len(text) and single(text[at]) else None
        return getattr(self, f"_{str(kind).lower()}")(value, flags, text, at, go)

    def _subpattern(self, value: Any, flags: int, text: str, at: int, go: Next) -> int | None:
        _, added, removed, nodes = value
        return self._sequence(list(nodes), 0, (flags | added) & ~removed, text, at, go)

    def _branch(self, value: Any, flags: int, text: str, at: int, go: Next) -> int | None:
        for nodes in value[1]:
            end = self._sequence(list(nodes), 0, flags, text, at, go)
            if end is not None:
                return end
        return None

    def _max_repeat(self, value: Any, flags: int, text: str, at: int, go: Next) -> int | None:
        low, high, nodes = value
        single = self._repeats_single(nodes, flags)
        if single is None:
            return self._repeat_group(low, high, list(nodes), flags, text, at, go, 0)
        end = at
        while end < len(text) and end - at < high and single(text[end]):
            self.counter.steps += 1
            end += 1
        for stop in range(end, at + low - 1, -1):
            found = go(stop)
            if found is not None:
                return found
        return None

    def _min_repeat(self, value: Any, flags: int, text: str, at: int, go: Next) -> int | None:
        low, high, nodes = value
        single = self._repeats_single(nodes, flags)
        if single is None:
            return self._repeat_group(low, high, list(nodes), flags, text, at, go, 0, lazy="yes")
        stop = at
        while True:
            self.counter.steps += 1
            if stop - at >= low:
                found = go(stop)
                if found is not None:
                    return found
            if stop - at >= high or stop >= len(text) or not single(text[stop]):
                return None
            stop += 1

    def _repeat_group(
        self, low: int, high: Any, nodes: Any, flags: int, text: str, at: int, go: Next, done: int,
        lazy: str = "no",
    ) -> int | None:  # fmt: skip
        def once_more() -> int | None:
            if done >= high:
                return None
            return self._sequence(
                nodes, 0, flags, text, at,
                lambda end: None if end == at else self._repeat_group(
                    low, high, nodes, flags, text, end, go, done + 1, lazy
                ),
            )  # fmt: skip

        def leave() -> int | None:
            return go(at) if done >= low else None

        first, second = (leave, once_more) if lazy == "yes" else (once_more, leave)
        found = first()
        return second() if found is None else found

    def _at(self, value: Any, flags: int, text: str, at: int, go: Next) -> int | None:
        word = [
            0 <= place < len(text) and (text[place].isalnum() or text[place] == "_")
            for place in (at - 1, at)
        ]
        holds = {
            op.AT_BEGINNING: at == 0 or (bool(flags & re.MULTILINE) and text[at - 1] == "\n"),
            op.AT_END: at == len(text) or text[at:] == "\n",
            op.AT_BOUNDARY: word[0] != word[1],
        }[value]
        return go(at) if holds else None

    def _assert(self, value: Any, flags: int, text: str, at: int, go: Next) -> int | None:
        return go(at) if self._looks(value, flags, text, at) else None

    def _assert_not(self, value: Any, flags: int, text: str, at: int, go: Next) -> int | None:
        return None if self._looks(value, flags, text, at) else go(at)

    def _looks(self, value: Any, flags: int, text: str, at: int) -> bool:
        direction, nodes = value
        start = at if direction == 1 else at - nodes.getwidth()[0]
        return (
            start >= 0
            and self._sequence(list(nodes), 0, flags, text, start, lambda end: end) is not None
        )

    def _repeats_single(self, nodes: Any, flags: int) -> Callable[[str], bool] | None:
        if len(nodes) != 1 or nodes[0][0] in _COMPOUND:
            return None
        return _single(nodes[0][0], _hashable(nodes[0][1]), flags)


_COMPOUND = {
    op.SUBPATTERN,
    op.BRANCH,
    op.MAX_REPEAT,
    op.MIN_REPEAT,
    op.AT,
    op.ASSERT,
    op.ASSERT_NOT,
}


def _hashable(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value
