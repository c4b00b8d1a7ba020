"""Right and wrong answers by tie group of a score, weighted by resample.

    score   2.0  1.0  1.0  0.0        groups, ascending   0.0 | 1.0 1.0 | 2.0
    right   yes  yes  no   no         right   0 1 1       wrong   1 1 0

Both AUROC and the risk-coverage curve are functions of these sums, so neither can depend on
the order of tied questions.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import sparse

from cot_entropy.stats.cells import Flags, Values
from cot_entropy.stats.explore.bootstrap import Weights, ratio


@dataclass(frozen=True)
class GroupSums:
    """Weights of right and wrong answers per tie group, ascending scores, each `(groups, b)`."""

    right: Values
    wrong: Values


@dataclass(frozen=True, eq=False)
class Ranking:
    """The tie groups of one score; `levels` are their scores, ascending."""

    levels: Values
    _right: sparse.csr_matrix
    _wrong: sparse.csr_matrix

    @classmethod
    def of(cls, scores: Values, correct: Flags, included: Flags) -> Ranking:
        """Group the included questions by score `(n,)`; none of them may be NaN."""
        rows = np.flatnonzero(included)
        levels, group = np.unique(scores[rows], return_inverse=True)
        shape = (len(levels), len(scores))

        def members(chosen: Flags) -> sparse.csr_matrix:
            ones = np.ones(int(chosen.sum()), dtype=np.float32)
            return sparse.csr_matrix((ones, (group[chosen], rows[chosen])), shape=shape)

        right = correct[rows]
        return cls(levels, members(right), members(~right))

    def sums(self, weights: Weights) -> GroupSums:
        """Sums over question weights `(n, b)`."""
        right, wrong = self._right @ weights, self._wrong @ weights
        return GroupSums(right.astype(np.float64), wrong.astype(np.float64))


def auroc(sums: GroupSums) -> Values:
    """P(score of a right answer > of a wrong one) + half of P(equal), `(b,)`.

    NaN where a resample holds one class only. Equals sklearn.metrics.roc_auc_score with the
    counts as sample weights.
    """
    below = np.cumsum(sums.wrong, axis=0) - sums.wrong
    won = (sums.right * (below + sums.wrong / 2)).sum(axis=0)
    pairs = sums.right.sum(axis=0) * sums.wrong.sum(axis=0)
    return ratio(won, pairs)
