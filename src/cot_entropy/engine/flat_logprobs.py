"""Reading vLLM's flat log-probabilities: at each position the sampled token, then the top k.

    logprobs        -0.1  -0.1  -2.4     -5.0  -0.2  -1.8       (k = 2)
    start_indices    0                    3
    end_indices                  3                    6

The sampled token stands first whether or not it is among the k. Source: vllm/logprobs.py.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Final, Protocol

LOWEST_LOGPROB: Final = -9999.0
"""Stands for minus infinity, which no file may hold."""


class FlatLogprobs(Protocol):
    """What is read of vLLM's class of that name."""

    start_indices: Sequence[int]
    end_indices: Sequence[int]
    logprobs: Sequence[float]


def sampled(flat: FlatLogprobs) -> list[float]:
    """The sampled token's log-probability at each position, `(T,)`."""
    return _finite(flat.logprobs[start] for start in flat.start_indices)


def most_probable(flat: FlatLogprobs) -> list[list[float]]:
    """The k most probable tokens' log-probabilities at each position, `(T, k)`; [] where k = 0."""
    positions = [
        _finite(flat.logprobs[start + 1 : end])
        for start, end in zip(flat.start_indices, flat.end_indices, strict=True)
    ]
    return positions if any(positions) else []


def _finite(values: Iterable[float]) -> list[float]:
    return [value if math.isfinite(value) else LOWEST_LOGPROB for value in values]
