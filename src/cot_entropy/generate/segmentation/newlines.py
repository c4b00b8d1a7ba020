"""One unit per line (R26 section 5.2)."""

from __future__ import annotations

import re
from typing import Final

from cot_entropy.generate.spans import Span, between

NEWLINE: Final = re.compile(r"\n")


def units(text: str) -> list[Span]:
    """The lines that hold more than white space."""
    return between(text, NEWLINE)
