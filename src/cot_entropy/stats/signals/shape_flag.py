"""The shape flag: does the entropy never rise?"""

import numpy as np

from cot_entropy.stats.explore.signals import SignalSource

SIGNAL = SignalSource(
    lambda cell: np.where(cell.shape_defined, cell.monotone.astype(np.float64), np.nan),
    "Z26: monotone",
)
