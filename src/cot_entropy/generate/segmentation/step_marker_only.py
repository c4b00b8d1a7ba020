"""Units that start at `Step 1:`, `Step 2:`, ...; a chain without a marker is one unit."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import Final

from cot_entropy.generate.spans import Span, stripped

STEP_MARKER: Final = re.compile(r"(?:^[*#_> \t-]+)?Step [0-9]+:", re.MULTILINE)


def units(text: str) -> list[Span]:
    """The steps.

    Text before the first marker belongs to the first unit, and mark-up before a marker on its line
    (`**Step 2:`) to the unit it opens.
    """
    starts = [found.start() for found in STEP_MARKER.finditer(text)]
    return stripped(text, pairwise([0, *starts[1:], len(text)]))
