"""Standard errors of published correlations, from studies simulated with what the paper prints.

A printed rho fixes one slope; the rest of the population is that of the calibration: violations
past the first fall off by a constant factor, coherence has the shares of seven entropies. Ours.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray
from scipy import optimize, special

from cot_entropy.stats.populations import coherence_shares, rank_shares, rho_of
from cot_entropy.stats.rank_correlation import spearman
from cot_entropy.stats.two_by_two import TwoByTwo

Values = NDArray[np.float64]

STUDIES: Final = 4000
SEED: Final = 33
FALLS: Final = (0.3, 0.45, 0.6)
"""How many chains have one more violation, per chain: the widest error of the three is taken."""
STEEPEST: Final = 8.0


def rho_error(shares: Values, n: int) -> float:
    """Standard deviation of atanh(rho) over simulated studies of n questions, shares `(2K,)`."""
    drawn = np.random.default_rng(SEED).multinomial(n, shares / shares.sum(), size=STUDIES)
    right, wrong = np.split(drawn.astype(np.float64), 2, axis=1)
    rho = spearman(right, wrong)
    return float(np.std(np.arctanh(rho[np.abs(rho) < 1]), ddof=1))


def coherence_error(n: int, accuracy: float, rho: float) -> float | None:
    """The error of rho(coherence, correct) at n questions; None where no such rho is possible."""
    shares = rank_shares(coherence_shares(), accuracy=accuracy, rho=rho)
    return None if shares is None else rho_error(shares, n)


def violations_error(table: TwoByTwo, rho: float) -> float | None:
    """The error of rho(violations, correct) with these groups; None where rho is out of reach.

    Accuracy at 0 violations and over the rest are the table's; among the rest its log odds fall
    linearly, as steeply as rho asks for.
    """
    n = table.monotone + table.other
    found = [
        rho_error(shares, n)
        for fall in FALLS
        if (shares := _violation_shares(table, rho, fall)) is not None
    ]
    return max(found, default=None)


def _violation_shares(table: TwoByTwo, rho: float, fall: float) -> Values | None:
    n = table.monotone + table.other
    if not table.monotone or not table.right_other or not table.wrong_other:
        return None
    tail = fall ** np.arange(5)
    tail /= tail.sum()
    first, rest = table.right_monotone / table.monotone, table.right_other / table.other
    levels = np.concatenate([[table.monotone / n], table.other / n * tail])

    def shares(slope: float) -> Values:
        steps = slope * np.arange(5)
        middle = optimize.brentq(
            lambda start: tail @ special.expit(start + steps) - rest, -60, 60, xtol=1e-12
        )
        right = np.concatenate([[first], special.expit(middle + steps)])
        return np.concatenate([levels * right, levels * (1 - right)])

    def distance(slope: float) -> float:
        return rho_of(shares(slope)) - rho

    if distance(-STEEPEST) * distance(STEEPEST) > 0:
        return None
    return shares(float(optimize.brentq(distance, -STEEPEST, STEEPEST)))
