"""The model's own uncertainty about its next token, over a chain, from the top of its vocabulary.

An engine returns the k most probable tokens of each position, not the vocabulary. All others count
as one class here, and what that leaves out is bounded: with a probability r outside the k,

    grouped entropy <= entropy over the vocabulary <= grouped entropy + r ln(V - k)

because splitting a class adds its probability times the entropy within it (Shannon 1948, sec. 6).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import entr

Values = NDArray[np.float64]


class TokenEntropy(NamedTuple):
    """Means over the tokens of a chain."""

    entropy: float
    """Grouped entropy, nats: a lower bound of the entropy over the vocabulary."""
    remainder: float
    """Probability outside the tokens that the engine returned."""


def mean_token_entropy(top_logprobs: Sequence[Sequence[float]]) -> TokenEntropy | None:
    """Mean next-token entropy of a chain, given its positions' top k log-probabilities `(T, k)`.

    Natural logarithms, temperature 1. None where nothing was returned. Source: Softmax-Ent of
    Fomicheva et al. 2020 (TACL 8), which sums over the vocabulary.
    """
    grouped, remainder = token_entropies(top_logprobs)
    if not grouped.size:
        return None
    return TokenEntropy(float(grouped.mean()) + 0.0, float(remainder.mean()) + 0.0)


def token_entropies(top_logprobs: Sequence[Sequence[float]]) -> tuple[Values, Values]:
    """Grouped entropy in nats and remainder at each position, both `(T,)`; empty without any."""
    if not top_logprobs or not top_logprobs[0]:
        return np.empty(0), np.empty(0)
    top = np.exp(np.asarray(top_logprobs, dtype=np.float64))
    remainder = np.clip(1 - top.sum(axis=1), 0, None)
    return entr(top).sum(axis=1) + entr(remainder), remainder
