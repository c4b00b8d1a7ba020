"""Two readings of a whole trajectory that others publish on the same question.

    H_k                 1.055  0.950  0.0    0.0
    area                (1.0025 + 0.475 + 0.0) / 3 = 0.4925      mean height, nats
    evidence S_k        0      0      0.805  1.609               alarm at k = 3: ln 5 is reached
    settled             1 of 4 prefixes = 0.25

The change point is the CUSUM of Page (1954), which Xu et al. 2026 (arXiv 2606.02020) use on the
entropy of a chain to leave it early: S_k = max(0, S_{k-1} + r - H_k) gathers evidence that H has
fallen below r. Ours: answer entropies, with r half of ln 5, the most that five answers have, and
the alarm at ln 5, which two unanimous prefixes in a row give.
"""

from __future__ import annotations

from math import log
from typing import Final

import numpy as np

from cot_entropy.stats.cells import Values

REFERENCE: Final = log(5) / 2
ALARM: Final = log(5)
_ROUNDING: Final = 1e-9


def area(entropies: Values) -> Values:
    """Mean height in nats of each trajectory `(n, width)` between its first and last defined H.

    By trapezoids; NaN with fewer than two defined H.
    """
    found = np.full(len(entropies), np.nan)
    for index, row in enumerate(entropies):
        places = np.flatnonzero(~np.isnan(row))
        if len(places) >= 2:
            found[index] = np.trapezoid(row[places], places) / (places[-1] - places[0])
    return found


def settled(entropies: Values) -> Values:
    """Share of each trajectory's defined prefixes `(n, width)` from the alarm on, 0 without one.

    NaN with fewer than two defined H.
    """
    found = np.full(len(entropies), np.nan)
    for index, row in enumerate(entropies):
        defined = row[~np.isnan(row)]
        if len(defined) < 2:
            continue
        evidence, alarm = 0.0, len(defined)
        for place, entropy in enumerate(defined):
            evidence = max(0.0, evidence + REFERENCE - float(entropy))
            if evidence >= ALARM - _ROUNDING:
                alarm = place
                break
        found[index] = (len(defined) - alarm) / len(defined)
    return found
