"""The probabilities of the answer classes at the last prefix, from the completions' own."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

import numpy as np

from cot_entropy.signal.entropy import NO_ANSWER
from cot_entropy.stats.cells import Cell, Values

WEIGHED: Final = ("answer_clusters", "completion_mean_logprobs")
"""The optional columns that they need."""


def class_probabilities(clusters: Sequence[int], logprobs: Sequence[float | None]) -> list[float]:
    """The probabilities of the answer classes of m completions, in no meaningful order.

    A completion weighs exp of its mean token log-probability (nats; 1 where it is empty), and all
    without an answer (-1) form one class. Empty where there are none, or none gave an answer.
    """
    if all(label == NO_ANSWER for label in clusters):
        return []
    weights: dict[int, float] = {}
    for label, logprob in zip(clusters, logprobs, strict=True):
        weight = 1.0 if logprob is None or np.isnan(logprob) else float(np.exp(logprob))
        weights[label] = weights.get(label, 0.0) + weight
    total = sum(weights.values())
    return [weight / total for weight in weights.values()]


def at_the_end(cell: Cell, measure: Callable[[list[float]], float]) -> Values:
    """A number of the last prefix's class probabilities, `(n,)`; NaN where it has none."""
    columns = zip(*(cell.frame[name] for name in WEIGHED), strict=True)
    found = [
        class_probabilities(clusters[-1], logprobs[-1])
        if clusters is not None and logprobs is not None and len(clusters)
        else []
        for clusters, logprobs in columns
    ]
    return np.array([measure(one) if one else np.nan for one in found], dtype=np.float64)
