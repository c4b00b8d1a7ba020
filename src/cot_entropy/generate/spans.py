"""Character spans of a text: what the segmentation rules are made of."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

Span = tuple[int, int]
"""First character of a unit, and the one after its last."""

SENTENCE_END: Final = re.compile(r"(?<=[.!?])\s+")


def between(text: str, separator: re.Pattern[str]) -> list[Span]:
    """The spans between the separators."""
    found = [match.span() for match in separator.finditer(text)]
    starts = [0, *(end for _, end in found)]
    stops = [*(start for start, _ in found), len(text)]
    return stripped(text, zip(starts, stops, strict=True))


def stripped(text: str, spans: Iterable[Span]) -> list[Span]:
    """The spans without the white space around them; empty ones are no units."""
    units = []
    for start, stop in spans:
        piece = text[start:stop]
        if piece.strip():
            left = start + len(piece) - len(piece.lstrip())
            units.append((left, start + len(piece.rstrip())))
    return units
