"""Simulated cells with known truth, at the registered sizes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Self

import numpy as np
from numpy.typing import NDArray
from scipy import optimize

from cot_entropy.stats.confirm.error_filter import FilterSample
from cot_entropy.stats.rank_correlation import DECIMALS, spearman

Values = NDArray[np.float64]

ENTROPIES: Final = np.array([0.0, 0.500402, 0.673012, 0.950271, 1.05492, 1.332179, 1.609438])
"""The seven plug-in entropies of five answers, nats."""
FIRST_SHARES: Final = np.array([0.15, 0.15, 0.10, 0.15, 0.10, 0.15, 0.20])
LAST_SHARES: Final = np.array([0.60, 0.15, 0.08, 0.07, 0.05, 0.03, 0.02])
"""Shares of H_0 and H_N in the simulated cells: spread at first, mostly agreed at last."""


@dataclass(frozen=True, kw_only=True)
class GapTruth:
    """The accuracies of monotone and of other chains, as probabilities."""

    monotone: float
    other: float

    @classmethod
    def of(cls, *, accuracy: float, flag_rate: float, gap: float) -> Self:
        """Accuracies `gap` percentage points apart in a cell of the given overall accuracy."""
        return cls(
            monotone=accuracy + (1 - flag_rate) * gap / 100,
            other=accuracy - flag_rate * gap / 100,
        )

    @property
    def possible(self) -> bool:
        """Whether both are probabilities."""
        return 0 <= self.other <= 1 and 0 <= self.monotone <= 1

    def shares(self, flag_rate: float) -> Values:
        """Right and wrong among monotone chains, then among the others, `(4,)`."""
        groups = ((flag_rate, self.monotone), (1 - flag_rate, self.other))
        return np.array([share * p for share, right in groups for p in (right, 1 - right)])


def violation_shares(flag_rate: float) -> Values:
    """Shares of chains with 0..5 violations, `(6,)`: falling by 0.45 a step past the first."""
    tail = 0.45 ** np.arange(5)
    return np.concatenate([[flag_rate], (1 - flag_rate) * tail / tail.sum()])


def coherence_shares() -> Values:
    """Shares of the values of H_0 - H_N in ascending order, H_0 and H_N independent."""
    values = np.round(ENTROPIES[:, None] - ENTROPIES, 5).ravel()
    weights = np.outer(FIRST_SHARES, LAST_SHARES).ravel()
    _, index = np.unique(values, return_inverse=True)
    return np.bincount(index, weights=weights).astype(np.float64)


def rank_shares(levels: Values, *, accuracy: float, rho: float) -> Values | None:
    """Right answers by level, then wrong, `(2K,)`, with the wanted Spearman's rho.

    Accuracy changes linearly with the level's midrank, within [0, 1]. None where no such line
    reaches rho.
    """
    midrank = np.cumsum(levels) - levels / 2 - 0.5

    def shares(slope: float) -> Values:
        right = np.clip(accuracy + slope * midrank, 0, 1)
        return np.concatenate([levels * right, levels * (1 - right)])

    def distance(slope: float) -> float:
        return rho_of(shares(slope)) - rho

    if rho == 0:
        return shares(0.0)
    steepest = 50.0 * np.sign(rho)
    if distance(0.0) * distance(steepest) > 0:
        return None
    return shares(float(optimize.brentq(distance, 0.0, steepest)))


def rho_of(shares: Values) -> float:
    """Spearman's rho of a population of shares `(2K,)`: the limit of large samples."""
    right, wrong = np.split(shares * 1e9, 2)
    return float(spearman(right, wrong))


def filter_study(
    n: int, *, wrong_rate: float, effect: float, rng: np.random.Generator
) -> FilterSample:
    """Monotone chains of 1 to 8 units, their risk rising with H_N: `effect` log-odds per SD."""
    units = rng.integers(1, 9, size=n)
    drawn = rng.choice(len(ENTROPIES), p=LAST_SHARES, size=(n, 9))
    past = np.arange(9) > units[:, None]
    ordered = -np.sort(-np.where(past, -1, drawn), axis=1)
    entropies = np.where(past, 0.0, ENTROPIES[ordered])
    last = entropies[np.arange(n), units]
    steps = np.where(past[:, 1:], -np.inf, entropies[:, :-1] - entropies[:, 1:])
    columns = [entropies[:, 0], last, entropies.sum(axis=1) / (units + 1), steps.max(axis=1), units]
    features = np.round(np.column_stack(columns), DECIMALS)
    patterns, pattern_of = np.unique(features, axis=0, return_inverse=True)
    scale = last.std() or 1.0
    logit = np.log(wrong_rate / (1 - wrong_rate)) + effect * (last - last.mean()) / scale
    wrong = rng.random(n) < 1 / (1 + np.exp(-logit))
    return FilterSample(np.arange(n), patterns, pattern_of.reshape(-1), wrong)
