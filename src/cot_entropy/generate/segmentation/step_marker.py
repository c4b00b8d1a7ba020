"""Units that start at `Step 1:`, `Step 2:`, ... (Z26)."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import Final

from cot_entropy.generate.segmentation import blank_lines
from cot_entropy.generate.spans import SENTENCE_END, Span, between, stripped

STEP_MARKER: Final = re.compile(r"(?:^[*#_> \t-]+)?Step [0-9]+:", re.MULTILINE)


def units(text: str) -> list[Span]:
    """The steps; without a marker, blank lines; without those, sentences.

    Text before the first marker belongs to the first unit, and mark-up before a marker on its line
    (`**Step 2:`) to the unit it opens.
    """
    starts = [found.start() for found in STEP_MARKER.finditer(text)]
    if starts:
        edges = [0, *starts[1:], len(text)]
        return stripped(text, pairwise(edges))
    blocks = blank_lines.units(text)
    return blocks if len(blocks) > 1 else between(text, SENTENCE_END)
