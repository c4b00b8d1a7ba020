"""Adjacent units join into as many groups as the cap allows."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np


def probed(ends: Sequence[int], cap: int) -> list[int]:
    """The ends of `cap` groups whose sizes differ by one at most, larger first."""
    return [int(group[-1]) for group in np.array_split(ends, cap) if group.size]
