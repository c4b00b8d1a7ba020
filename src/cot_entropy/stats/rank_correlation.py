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

EDGE = 1 - 1e-12
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


def fisher_z(right: Values, wrong: Values) -> tuple[Values, Values]:
    """atanh(rho) of tables `(..., K)` and its standard error, `(...)` each; NaN as `spearman`.

    The error is the delta method's: the root mean square of rho's influence function over n,
    over 1 - rho^2. It holds for ties and for spreads that depend on the signal, unlike
    1 / sqrt(n - 3).
    """
    rho = np.clip(spearman(right, wrong), -EDGE, EDGE)
    n = (right + wrong).sum(axis=-1)[..., None]
    n = np.where(n > 0, n, 1.0)
    share, right_share = (right + wrong) / n, right / n
    midrank = np.cumsum(share, axis=-1) - share / 2 - 0.5
    accuracy = right_share.sum(axis=-1)[..., None]
    covariance = (right_share * midrank).sum(axis=-1)[..., None]
    spread = (share * midrank**2).sum(axis=-1)[..., None]
    outcome = accuracy * (1 - accuracy)
    scale = np.sqrt(np.where(spread * outcome > 0, spread * outcome, 1.0))
    spread, outcome = np.where(spread > 0, spread, 1.0), np.where(outcome > 0, outcome, 1.0)
    of_spread = midrank**2 + 2 * _above(share * midrank) - 3 * spread
    squares = np.zeros(rho.shape)
    for correct, count in ((1.0, right), (0.0, wrong)):
        of_covariance = correct * midrank + _above(right_share) - 2 * covariance - accuracy / 2
        of_outcome = (1 - 2 * accuracy) * (correct - accuracy)
        relative = of_spread / spread + of_outcome / outcome
        influence = of_covariance / scale - rho[..., None] / 2 * relative
        squares += (count * influence**2).sum(axis=-1)
    error = np.sqrt(squares) / n[..., 0] / (1 - rho**2)
    return np.arctanh(rho), np.where(np.isnan(rho), np.nan, error)


def _above(values: Values) -> Values:
    """The sum of the values of higher levels and half of the level's own, `(..., K)`."""
    above: Values = values.sum(axis=-1)[..., None] - np.cumsum(values, axis=-1) + values / 2
    return above


def permuted_tables(
    right: Values, wrong: Values, *, permutations: int, rng: np.random.Generator
) -> tuple[Values, Values]:
    """Right and wrong answers by value with the outcomes dealt anew, `(permutations, K)` each.

    Dealing the right answers is a multivariate hypergeometric draw from the value counts.
    """
    total = (right + wrong).astype(np.int64)
    dealt = rng.multivariate_hypergeometric(total, int(right.sum()), size=permutations)
    return dealt.astype(np.float64), (total - dealt).astype(np.float64)
