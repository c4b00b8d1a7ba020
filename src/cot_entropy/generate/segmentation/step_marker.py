"""Units that start at step markers; without one blank lines, else sentences (Z26)."""

from __future__ import annotations

from cot_entropy.generate.segmentation import blank_lines, step_marker_only
from cot_entropy.generate.spans import SENTENCE_END, Span, between


def units(text: str) -> list[Span]:
    """As `step_marker_only` where there is a marker."""
    if step_marker_only.STEP_MARKER.search(text):
        return step_marker_only.units(text)
    blocks = blank_lines.units(text)
    return blocks if len(blocks) > 1 else between(text, SENTENCE_END)
