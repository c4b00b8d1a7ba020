"""What every statistic is given: one cell's trajectories as arrays, and the plan's settings.

Undefined values are NaN in the float arrays here and never leave this package as such.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from cot_entropy.base.errors import DataError
from cot_entropy.base.files import sha256_file
from cot_entropy.formats.trajectories import read_trajectories
from cot_entropy.stats.resampling import Counts, resample_counts

Flags = NDArray[np.bool_]
Values = NDArray[np.float64]


class NullBounds(NamedTuple):
    """The bounds of a claim of equivalence, and the levels at which it holds or does not."""

    low: float
    high: float
    supported: float
    refuted: float


@dataclass(frozen=True, kw_only=True)
class Settings:
    """What the plan fixes for every statistic of an analysis.

    `level` is the coverage of the reported intervals, `eps` the registered violation threshold in
    nats, `m` the completions per prefix, `null` the criterion of the coherence map.
    """

    resamples: int
    seed: int
    level: float
    eps: float
    m: int
    null: NullBounds | None = None


@dataclass(frozen=True, eq=False, kw_only=True)
class Cell:
    """One model on one dataset: its trajectories, one row per question."""

    name: str
    frame: pd.DataFrame
    trajectories_sha256: str

    @property
    def n(self) -> int:
        """The number of questions."""
        return len(self.frame)

    @cached_property
    def failed(self) -> int:
        """Questions without any prefix: their record holds an error."""
        return sum(len(row) == 0 for row in self.frame["entropies"])

    @cached_property
    def correct(self) -> Flags:
        """The registered outcome, `(n,)`."""
        return self.flags("correct")

    @cached_property
    def shape_defined(self) -> Flags:
        """Where the trajectory has at least two defined entropies, `(n,)`."""
        defined: Flags = self.frame["monotone"].notna().to_numpy(dtype=np.bool_)
        return defined

    @cached_property
    def monotone(self) -> Flags:
        """The shape flag, `(n,)`; False where undefined: use with `shape_defined`."""
        return self.flags("monotone")

    @cached_property
    def violations(self) -> Values:
        """Violation counts, `(n,)`; NaN where the shape is undefined."""
        return self.values("violations")

    @cached_property
    def coherence(self) -> Values:
        """H_0 - H_N in nats, `(n,)`; NaN where undefined."""
        return self.values("coherence")

    @cached_property
    def final_entropy(self) -> Values:
        """H_N in nats, `(n,)`; NaN where undefined."""
        return self.values("final_entropy")

    @cached_property
    def entropies(self) -> Values:
        """H_0..H_N in nats, `(n, longest N + 1)`; NaN where undefined and past each chain's N."""
        rows: Sequence[Any] = list(self.frame["entropies"])
        width = max((len(row) for row in rows), default=0)
        padded = np.full((len(rows), width), np.nan)
        for index, row in enumerate(rows):
            padded[index, : len(row)] = np.asarray(row, dtype=np.float64)
        return padded

    def has(self, column: str) -> bool:
        """Whether an optional column is there and holds any value."""
        return column in self.frame and bool(self.frame[column].notna().any())

    def values(self, column: str) -> Values:
        """A numeric column as float64 `(n,)`, NaN where null."""
        return self.frame[column].to_numpy(dtype=np.float64, na_value=np.nan)

    def flags(self, column: str) -> Flags:
        """A boolean column `(n,)`, False where null."""
        return self.frame[column].to_numpy(dtype=np.bool_, na_value=False)

    def counts(self, settings: Settings) -> Iterator[Counts]:
        """The cell's resamples: the same blocks `(b, n)` for every statistic of the cell."""
        seed = derive_seed(settings.seed, self.name)
        return resample_counts(self.n, resamples=settings.resamples, seed=seed)


def derive_seed(seed: int, *labels: str) -> int:
    """A seed for a named part of the analysis: the first 8 bytes of sha256(`seed/label/...`)."""
    text = "/".join([str(seed), *labels])
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big")


def read_cell(path: Path) -> Cell:
    """Read one trajectories file as one cell.

    Raises DataError where the file breaks the contract, holds no question, holds more than one
    cell, holds a question twice, or contradicts itself about a question's shape.
    """
    frame = read_trajectories(path)
    names = frame["cell"].unique().tolist()
    if not names:
        raise DataError(f"{path}: no questions; nothing to analyse")
    if len(names) > 1:
        raise DataError(f"{path}: holds {len(names)} cells; write one file per cell")
    repeated = frame.loc[frame["question_id"].duplicated(), "question_id"]
    if len(repeated):
        raise DataError(f"{path}: question `{repeated.iloc[0]}` stands twice; each must stand once")
    counted, flagged = frame["violations"], frame["monotone"]
    agree = ((counted == 0) == flagged).fillna(counted.isna() & flagged.isna())
    if not agree.all():
        question = frame["question_id"][~agree].iloc[0]
        raise DataError(
            f"{path}: question `{question}`: `violations` and `monotone` contradict each other"
        )
    return Cell(name=str(names[0]), frame=frame, trajectories_sha256=sha256_file(path))
