"""Whether a logistic regression has a finite maximum likelihood estimate.

Albert and Anderson 1984: it has none where some linear combination of the covariates puts the
right answers on one side and the wrong ones on the other, ties allowed (complete or
quasi-complete separation). The combination is found, or excluded, by linear programming
(Konis 2007).
"""

from __future__ import annotations

from typing import Final

import numpy as np
from scipy.optimize import linprog

from cot_entropy.stats.cells import Flags, Values

TOLERANCE: Final = 1e-7


def separated(design: Values, outcome: Flags) -> bool:
    """Whether a full-rank design `(n, p)`, constant included, separates the outcome `(n,)`.

    Columns of comparable scale are assumed; standardise first.
    """
    signed = np.unique(np.where(outcome[:, None], design, -design), axis=0)
    found = linprog(-signed.sum(axis=0), A_ub=-signed, b_ub=np.zeros(len(signed)), bounds=(-1, 1))
    return bool((signed @ found.x).max(initial=0.0) > TOLERANCE)
