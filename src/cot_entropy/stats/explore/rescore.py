"""A cell scored again from its stored answer classes: other samples, or another no-answer rule.

The result is a cell like any other, so that every signal and gap means the same on it. With all
m samples and the registered rule it is the cell itself.
"""

from __future__ import annotations

from collections.abc import Sequence, Sized
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from cot_entropy.protocol.scoring import NoAnswer
from cot_entropy.signal.entropy import (
    NO_ANSWER,
    TIE_DECIMALS,
    class_counts,
    plug_in_entropies,
    violation_counts,
)
from cot_entropy.stats.cells import Cell, Flags, Values
from cot_entropy.stats.explore.bootstrap import ratio
from cot_entropy.stats.explore.columns import padded_samples

COLUMNS: Final = ("answer_clusters", "final_samples_correct")

Ints = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Samples:
    """The answers behind a cell.

    `clusters` `(n, K, m)`: equivalence classes, -1 for no answer and past each chain's end;
    `last` `(n,)`: position of each chain's last prefix; `right` `(n, m)`: the samples there.
    """

    clusters: Ints
    last: Ints
    right: Flags

    @classmethod
    def of(cls, cell: Cell, m: int) -> Samples:
        """Read the optional columns `COLUMNS`; a question with null, or
        without prefixes, has no answers.

        Raises ValueError where a prefix does not hold m samples; see `columns.unusable`.
        """
        column = cell.frame["answer_clusters"]
        prefixes = np.array([0 if value is None else len(value) for value in column])
        final = cell.frame["final_samples_correct"]
        right = padded_samples(final.map(lambda value: None if _empty(value) else [value]), m)
        return cls(
            padded_samples(column, m, fill=NO_ANSWER).astype(np.int64),
            np.maximum(prefixes - 1, 0),
            right[:, 0] == 1,
        )

    def take(self, indices: Sequence[int]) -> Samples:
        """The same sample indices at every prefix."""
        chosen = list(indices)
        return Samples(self.clusters[..., chosen], self.last, self.right[:, chosen])

    @property
    def final(self) -> Ints:
        """The classes at the last prefix, `(n, m)`."""
        final: Ints = self.clusters[np.arange(len(self.last)), self.last]
        return final


def rescored(
    cell: Cell, samples: Samples, *, eps: float, no_answer: NoAnswer = "shared_class"
) -> Cell:
    """The cell with signals and majority outcome from `samples` under a no-answer rule."""
    entropies = plug_in_entropies(class_counts(samples.clusters, no_answer))
    final = entropies[np.arange(cell.n), samples.last]
    counts = violation_counts(entropies, eps)
    correct, confidence = majority(samples, no_answer)
    return with_columns(
        cell,
        entropies=list(entropies),
        violations=_nullable(counts),
        monotone=pd.array(_booleans(counts), dtype="boolean"),
        coherence=_nullable(np.round(entropies[:, 0] - final, TIE_DECIMALS) + 0.0),
        final_entropy=_nullable(final),
        final_confidence=_nullable(confidence),
        correct=pd.array(correct, dtype="boolean"),
    )


def with_columns(cell: Cell, **columns: Any) -> Cell:
    """The cell with columns of its trajectories replaced."""
    return replace(cell, frame=cell.frame.assign(**columns))


def majority(samples: Samples, no_answer: NoAnswer) -> tuple[Flags, Values]:
    """Whether the majority answer at the last prefix is right, and its share, each `(n,)`.

    Ties go to the class seen first in sample order; a majority of `no answer` is wrong. The share
    is NaN where no sample has an answer.
    """
    final = samples.final
    missing = final == NO_ANSWER
    sizes = (final[:, :, None] == final[:, None, :]).sum(axis=2)
    if no_answer != "shared_class":
        sizes = np.where(missing, 1 if no_answer == "singleton" else 0, sizes)
    rows = np.arange(len(final))
    winner = sizes.argmax(axis=1)
    counted = (~missing).sum(axis=1) if no_answer == "drop" else np.full(len(final), final.shape[1])
    share = ratio(sizes[rows, winner].astype(np.float64), counted.astype(np.float64))
    right: Flags = samples.right[rows, winner] & ~missing[rows, winner]
    return right, np.where(missing.all(axis=1), np.nan, share)


def _empty(value: Sized | None) -> bool:
    return value is None or len(value) == 0


def _nullable(values: Values) -> pd.api.extensions.ExtensionArray:
    return pd.array(values, dtype="Float64")


def _booleans(counts: Values) -> list[bool | None]:
    return [None if np.isnan(count) else bool(count == 0) for count in counts]
