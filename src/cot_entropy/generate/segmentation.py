"""Where a chain is cut: text into reasoning units, units into token prefixes.

A segmentation rule maps a text to the character spans of its units; adding one means one entry in
`RULES` (and its name in `protocol.probe.Segmentation`). A cap policy maps the units' ends to those
that are probed. Everything here is pure.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import pairwise
from typing import Final

import numpy as np

from cot_entropy.formats.records import PrefixRecord
from cot_entropy.protocol.probe import CapPolicy, ProbeBlock, Segmentation

Span = tuple[int, int]
"""First character of a unit, and the one after its last."""

BLANK_LINES: Final = re.compile(r"\n\s*\n")
NEWLINE: Final = re.compile(r"\n")
SENTENCE_END: Final = re.compile(r"(?<=[.!?])\s+")
STEP_MARKER: Final = re.compile(r"(?:^[*#_> \t-]+)?Step [0-9]+:", re.MULTILINE)


def blank_lines(text: str) -> list[Span]:
    """Units separated by one or more blank lines (R26)."""
    return _between(text, BLANK_LINES)


def newlines(text: str) -> list[Span]:
    """One unit per line (R26 section 5.2)."""
    return _between(text, NEWLINE)


def step_marker_only(text: str) -> list[Span]:
    """Units that start at `Step 1:`, `Step 2:`, ...; a chain without a marker is one unit.

    Text before the first marker belongs to the first unit, and mark-up before a marker on its line
    (`**Step 2:`) to the unit it opens.
    """
    starts = [found.start() for found in STEP_MARKER.finditer(text)]
    return _stripped(text, pairwise([0, *starts[1:], len(text)]))


def step_marker(text: str) -> list[Span]:
    """Units at step markers as above; without a marker blank lines, else sentences (Z26)."""
    if STEP_MARKER.search(text):
        return step_marker_only(text)
    blocks = blank_lines(text)
    return blocks if len(blocks) > 1 else _between(text, SENTENCE_END)


RULES: Final[Mapping[Segmentation, Callable[[str], list[Span]]]] = {
    "blank_lines": blank_lines,
    "newlines": newlines,
    "step_marker_only": step_marker_only,
    "step_marker": step_marker,
}


def _truncate(ends: Sequence[int], cap: int) -> list[int]:
    return list(ends[:cap])


def _merge(ends: Sequence[int], cap: int) -> list[int]:
    """Join adjacent units into `cap` groups whose sizes differ by one at most, larger first."""
    return [int(group[-1]) for group in np.array_split(ends, cap) if group.size]


CAPS: Final[Mapping[CapPolicy, Callable[[Sequence[int], int], list[int]]]] = {
    "truncate": _truncate,
    "merge": _merge,
}


def cut(question_id: str, text: str, token_ends: Sequence[int], probe: ProbeBlock) -> PrefixRecord:
    """The prefixes of one chain.

    `token_ends` gives for each token of the text the characters up to and with it, the
    end-of-text token left out. A prefix ends with the token in which its last unit ends, so it may
    hold the blank lines that this token goes on to, but never the end-of-text token.
    """
    units = [end for _, end in RULES[probe.segmentation](text)]
    probed = units
    if probe.cap is not None and probe.cap_policy is not None:
        probed = CAPS[probe.cap_policy](units, probe.cap)
    ends = [0, *(bisect_left(token_ends, end) + 1 for end in probed)]
    return PrefixRecord(
        question_id=question_id,
        n_units_chain=len(units),
        ends=ends,
        text_ends=[0, *(token_ends[end - 1] for end in ends[1:])],
    )


def _between(text: str, separator: re.Pattern[str]) -> list[Span]:
    found = [match.span() for match in separator.finditer(text)]
    starts = [0, *(end for _, end in found)]
    stops = [*(start for start, _ in found), len(text)]
    return _stripped(text, zip(starts, stops, strict=True))


def _stripped(text: str, spans: Iterable[Span]) -> list[Span]:
    """The spans without the white space around them; empty ones are no units."""
    units = []
    for start, stop in spans:
        piece = text[start:stop]
        if piece.strip():
            left = start + len(piece) - len(piece.lstrip())
            units.append((left, start + len(piece.rstrip())))
    return units
