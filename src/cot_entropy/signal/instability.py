"""EDIS: how unsteady the model's next-token entropy is over a chain, in one number.

    H          0.1 0.2 0.1 0.2 0.1 1.9 0.1        entropies, nats, one a token
    bursts     H_{t+w} - H_t > 1.36               1 (w = 5: from the first token to the sixth)
    rebounds   H_t - min of those before > 1.33   1 (the sixth token)
    EDIS       (bursts + rebounds) / 2 * (1 + Var H)

Zhu et al. 2026, "EDIS: Diagnosing LLM Reasoning via Entropy Dynamics", arXiv 2602.01288, equation 7
with the thresholds of its appendix E, as a public replication's notes quote them; the paper's own
text could not be read. Inferred: natural logarithms, the population variance, and the window of 5
tokens, which is that replication's. Ours: the entropy is over the engine's most probable tokens and
all others as one, a lower bound of that over the vocabulary.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

WINDOW: Final = 5
"""Tokens between the ends of a burst."""
BURST: Final = 1.36
"""Nats by which entropy grows in one."""
REBOUND: Final = 1.33
"""Nats above the least entropy so far."""


def instability(entropies: NDArray[np.float64]) -> float | None:
    """The score of token entropies `(T,)` in nats, 0 for a steady chain; None without a token."""
    if not entropies.size:
        return None
    bursts = int((entropies[WINDOW:] - entropies[:-WINDOW] > BURST).sum())
    least = np.minimum.accumulate(entropies)[:-1]
    rebounds = int((entropies[1:] - least > REBOUND).sum())
    return (bursts + rebounds) / 2 * (1 + float(np.var(entropies)))
