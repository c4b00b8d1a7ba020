"""One effect over several cells: Mantel and Haenszel's estimates, and the mean correlation.

Cells are strata, so that a model that is better and more often monotone makes no effect of its
own. Each function takes the tables of b resamples, cells on the second axis.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from cot_entropy.stats.rank_correlation import spearman
from cot_entropy.stats.two_by_two import accuracy_gap

Values = NDArray[np.float64]


def pooled_gap(tables: Values) -> Values:
    """The Mantel-Haenszel risk difference of tables `(b, k, 4)` in percentage points, `(b,)`.

    Weights are n1 n0 / n: a cell with an empty group has none. NaN where no cell has both.
    """
    right, wrong, right_other, wrong_other = np.moveaxis(tables, -1, 0)
    first, second = right + wrong, right_other + wrong_other
    n = np.maximum(first + second, 1)
    weight = (first * second / n).sum(axis=1)
    above = ((right * second - right_other * first) / n).sum(axis=1)
    return _ratio(100 * above, weight)


def pooled_log_odds(tables: Values) -> Values:
    """The log of the Mantel-Haenszel odds ratio of tables `(b, k, 4)`, `(b,)`; NaN: not finite."""
    right, wrong, right_other, wrong_other = np.moveaxis(tables, -1, 0)
    n = np.maximum(tables.sum(axis=-1), 1)
    found = _ratio((right * wrong_other / n).sum(axis=1), (wrong * right_other / n).sum(axis=1))
    return np.asarray(np.log(np.where(found > 0, found, np.nan)))


def pooled_z(z: Values, n: Values) -> Values:
    """The mean of atanh(rho) `(b, k)` weighted by questions `(k,)`; NaN in a cell makes it NaN."""
    mean: Values = z @ (n / n.sum())
    return mean


def cell_gaps(tables: Values) -> Values:
    """Each cell's gap, percentage points, `(b, k)`; NaN where a group is empty."""
    return accuracy_gap(*np.moveaxis(tables, -1, 0))


def cell_log_odds(tables: Values) -> Values:
    """Each cell's log odds ratio, `(b, k)`; NaN where a count is 0."""
    counts = np.where((tables > 0).all(axis=-1, keepdims=True), tables, np.nan)
    right, wrong, right_other, wrong_other = np.moveaxis(np.log(counts), -1, 0)
    found: Values = right - wrong - right_other + wrong_other
    return found


def cell_z(right: Values, wrong: Values) -> Values:
    """One cell's atanh(rho) of tables `(b, K)`, `(b,)`; NaN where undefined or perfect."""
    rho = spearman(right, wrong)
    return np.asarray(np.arctanh(np.where(np.abs(rho) < 1, rho, np.nan)))


def _ratio(above: Values, below: Values) -> Values:
    found: Values = np.divide(above, below, out=np.full(below.shape, np.nan), where=below > 0)
    return found
