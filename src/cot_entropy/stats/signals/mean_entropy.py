"""The entropy over all prefixes where it is defined."""

import numpy as np

from cot_entropy.stats.cells import Cell, Values
from cot_entropy.stats.explore.bootstrap import ratio
from cot_entropy.stats.explore.signals import SignalSource


def _mean_entropy(cell: Cell) -> Values:
    defined = ~np.isnan(cell.entropies)
    total = np.where(defined, cell.entropies, 0.0).sum(axis=1)
    return ratio(total, defined.sum(axis=1))


SIGNAL = SignalSource(lambda cell: -_mean_entropy(cell), "ours: lower better")
