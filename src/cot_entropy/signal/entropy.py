"""The answer distribution's entropy at each prefix, and the shape of a trajectory of them.

    answers at a prefix     42 42 42 17 --      (-- : no answer, class -1)
    class counts            3 1 1               (shared class, the registered rule)
    H_k                     0.950 nats

Plug-in (maximum likelihood) entropy in nats, as scipy.stats.entropy computes it from counts.
Counts are sorted before they are summed, one after the other, so that equal partitions of the
same m give the same double, and a violation is never a rounding error.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import entr

from cot_entropy.protocol.scoring import NoAnswer

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

NO_ANSWER: Final = -1
TIE_DECIMALS: Final = 12


def plug_in_entropy(counts: ArrayLike) -> float:
    """Entropy in nats of one distribution given as class counts; 0.0 for one class.

    Raises ValueError where no count is positive: a prefix without answers has no entropy.
    """
    entropy = float(plug_in_entropies(np.asarray(counts)))
    if np.isnan(entropy):
        raise ValueError("no positive count: the entropy is undefined, not 0")
    return entropy


def plug_in_entropies(counts: ArrayLike) -> Floats:
    """Entropies in nats over the last axis of counts `(..., classes)`; NaN where all are 0.

    Empty classes (0) change nothing, to the bit: they are sorted first and the sum is sequential.
    """
    ordered = np.sort(np.asarray(counts, dtype=np.float64), axis=-1)
    total = ordered.sum(axis=-1, keepdims=True)
    shares = np.divide(ordered, total, out=np.zeros_like(ordered), where=total > 0)
    summed = np.cumsum(entr(shares), axis=-1)[..., -1] + 0.0
    return np.where(total[..., 0] > 0, summed, np.nan)


def class_counts(clusters: ArrayLike, no_answer: NoAnswer = "shared_class") -> Ints:
    """Class counts `(..., m)` of m clustered answers `(..., m)`, -1 being no answer.

    `shared_class`: all without an answer form one class (registered); `drop`: they are left out;
    `singleton`: each is a class of its own. Where all m have none, every count is 0: such a
    prefix is missing under each rule, never a distribution on `no answer`. The order of the
    counts means nothing.
    """
    labels = np.asarray(clusters, dtype=np.int64)
    size = labels.shape[-1]
    missing = labels == NO_ANSWER
    same = labels[..., :, None] == labels[..., None, :]
    first = same.argmax(axis=-1)
    if no_answer == "singleton":
        first = np.where(missing, np.arange(size), first)
    counted = ~missing if no_answer == "drop" else ~missing.all(axis=-1, keepdims=True)
    members = (first[..., :, None] == np.arange(size)) & counted[..., :, None]
    counts: Ints = members.sum(axis=-2, dtype=np.int64)
    return counts


def prefix_entropy(clusters: Sequence[int], no_answer: NoAnswer = "shared_class") -> float | None:
    """H_k in nats of the m clustered answers of one prefix; None where all m have no answer."""
    counts = class_counts(clusters, no_answer)
    return plug_in_entropy(counts) if counts.any() else None


def violations(entropies: Sequence[float | None], eps: float) -> int | None:
    """Steps with H_{k+1} > H_k + eps between neighbouring defined H; None with fewer than two."""
    count = violation_counts(np.array([entropies], dtype=np.float64), eps)[0]
    return None if np.isnan(count) else int(count)


def violation_counts(entropies: Floats, eps: float) -> Floats:
    """Violations of each of n trajectories `(n, K)`, NaN where H is missing or past the end.

    Returns `(n,)`, NaN with fewer than two defined H. A missing H is stepped over: the next
    defined one is compared with the last defined one before it.
    """
    defined = ~np.isnan(entropies)
    positions = np.where(defined, np.arange(entropies.shape[1]), -1)
    last = np.maximum.accumulate(positions, axis=1)[:, :-1]
    before = np.take_along_axis(entropies, np.maximum(last, 0), axis=1)
    steps = defined[:, 1:] & (last >= 0)
    rises = steps & (entropies[:, 1:] > before + eps)
    return np.where(steps.any(axis=1), rises.sum(axis=1, dtype=np.float64), np.nan)


def coherence(entropies: Sequence[float | None]) -> float | None:
    """C = H_0 - H_N in nats; None unless both are defined (0 for a chain of no units).

    Rounded to 1e-12, so that differences that are equal on paper tie: with m = 5, from {2,1,1,1}
    to {3,1,1} and from {2,2,1} to {3,2} are both (3 ln 3 - 2 ln 2) / 5.
    """
    if not entropies:
        return None
    first, last = entropies[0], entropies[-1]
    return None if first is None or last is None else round(first - last, TIE_DECIMALS) + 0.0
