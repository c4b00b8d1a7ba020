"""Units past the cap are not probed."""

from __future__ import annotations

from collections.abc import Sequence


def probed(ends: Sequence[int], cap: int) -> list[int]:
    """The first `cap` ends."""
    return list(ends[:cap])
