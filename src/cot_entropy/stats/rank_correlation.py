"""Spearman's rho between a signal and correctness, from counts per signal value.

The signals of H2 and H3 take few values (violations 0, 1, 2, ...; differences of seven entropies)
and correctness two, so a sample, and every resample of it, is a table: how often each value came
with a right and with a wrong answer. Midranks follow from the table, for b tables at once.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Values = NDArray[np.float64]
Flags = NDArray[np.bool_]

DECIMALS = 9
"""Signals closer than 1e-9 (nats) are one value: sums of equal entropies tie."""


@dataclass(frozen=True, eq=False)
class RankTable:
    """A signal grouped by value: which value each question has, and the questions in use.

    `level_of` is `(n,)` with -1 where the signal is undefined; `right` and `wrong` are `(K,)`.
    """

    levels: Values
    level_of: NDArray[np.intp]
    correct: Flags

    @property
    def right(self) -> Values:
        """Right answers per value, `(K,)`."""
        return self._count(self.correct)

    @property
    def wrong(self) -> Values:
        """Wrong answers per value, `(K,)`."""
        return self._count(~self.correct)

    def _count(self, chosen: Flags) -> Values:
        used = self.level_of[chosen & (self.level_of >= 0)]
        return np.bincount(used, minlength=len(self.levels)).astype(np.float64)

    def indicator(self) -> NDArray[np.float32]:
        """`(n, 2K)`: right answers by value, then wrong; counts `(b, n)` times it are tables."""
        columns = len(self.levels)
        matrix = np.zeros((len(self.level_of), 2 * columns), dtype=np.float32)
        used = np.flatnonzero(self.level_of >= 0)
        matrix[used, self.level_of[used] + np.where(self.correct[used], 0, columns)] = 1
        return matrix


def rank_table(signal: Values, correct: Flags) -> RankTable:
    """Group a signal `(n,)`, NaN where undefined, by its values."""
    defined = ~np.isnan(signal)
    levels, inverse = np.unique(np.round(signal[defined], DECIMALS), return_inverse=True)
    level_of = np.full(len(signal), -1, dtype=np.intp)
    level_of[defined] = inverse
    return RankTable(levels, level_of, correct)


def spearman(right: Values, wrong: Values) -> Values:
    """Spearman's rho with midranks of tables `(..., K)`, `(...)`; NaN where a side is constant.

    With a binary outcome this is Pearson's correlation of the signal's midranks with correctness.
    """
    total = right + wrong
    n = total.sum(axis=-1)
    middle = (n + 1) / 2
    midrank = np.cumsum(total, axis=-1) - (total - 1) / 2 - middle[..., None]
    spread = (total * midrank**2).sum(axis=-1)
    n_right = right.sum(axis=-1)
    shared = (right * midrank).sum(axis=-1)
    outcome = n_right * (n - n_right)
    scale = spread * outcome
    defined = scale > 0
    root = np.sqrt(np.where(defined, scale, 1.0) / np.where(n > 0, n, 1.0))
    return np.where(defined, shared / root, np.nan)


def jackknife_spearman(right: Values, wrong: Values) -> tuple[Values, Values]:
    """Rho of every leave-one-out sample of one table `(K,)`, `(2K,)`, and how many there are.

    Leaving out any question of the same value and outcome gives the same rho, so there are at
    most 2K of them: right answers by value, then wrong.
    """
    columns = len(right)
    without_right = np.vstack([right - np.eye(columns), np.tile(right, (columns, 1))])
    without_wrong = np.vstack([np.tile(wrong, (columns, 1)), wrong - np.eye(columns)])
    multiplicity = np.concatenate([right, wrong])
    present = multiplicity > 0
    return spearman(without_right[present], without_wrong[present]), multiplicity[present]


def permuted_spearman(
    right: Values, wrong: Values, *, permutations: int, rng: np.random.Generator
) -> Values:
    """Rho of outcomes dealt anew over the questions of one table `(K,)`, `(permutations,)`.

    Dealing the right answers is a multivariate hypergeometric draw from the table's value counts.
    NaN where a side is constant.
    """
    total = (right + wrong).astype(np.int64)
    dealt = rng.multivariate_hypergeometric(total, int(right.sum()), size=permutations)
    values = dealt.astype(np.float64)
    return spearman(values, total - values)
