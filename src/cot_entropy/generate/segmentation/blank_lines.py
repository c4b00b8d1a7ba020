"""Units separated by one or more blank lines (R26)."""

from __future__ import annotations

import re
from typing import Final

from cot_entropy.generate.spans import Span, between

BLANK_LINES: Final = re.compile(r"\n\s*\n")


def units(text: str) -> list[Span]:
    """The pieces between blank lines."""
    return between(text, BLANK_LINES)
