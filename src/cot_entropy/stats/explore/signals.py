"""The signals: per-question numbers that may rank answers by reliability.

Every signal is oriented: a higher score means more likely correct. A new one is a name in the
plan's schema (`cot_entropy.prereg.exploratory.Signal`) and an entry here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

import numpy as np

from cot_entropy.prereg.exploratory import Signal
from cot_entropy.signal.entropy import TIE_DECIMALS
from cot_entropy.stats.cells import Cell, Values
from cot_entropy.stats.explore.bootstrap import ratio


@dataclass(frozen=True)
class SignalSource:
    """A signal's scores `(n,)`, NaN where undefined, and where it comes from."""

    scores: Callable[[Cell], Values]
    source: str


def _shape_flag(cell: Cell) -> Values:
    return np.where(cell.shape_defined, cell.monotone.astype(np.float64), np.nan)


def _mean_entropy(cell: Cell) -> Values:
    defined = ~np.isnan(cell.entropies)
    total = np.where(defined, cell.entropies, 0.0).sum(axis=1)
    return ratio(total, defined.sum(axis=1))


SIGNALS: Final[Mapping[Signal, SignalSource]] = MappingProxyType(
    {
        "final_entropy": SignalSource(lambda cell: -cell.final_entropy, "R26: H_N, lower better"),
        "shape_flag": SignalSource(_shape_flag, "Z26: monotone"),
        "violations": SignalSource(lambda cell: -cell.violations, "Z26: fewer better"),
        "coherence": SignalSource(lambda cell: cell.coherence, "Z26: H_0 - H_N, higher better"),
        "mean_entropy": SignalSource(lambda cell: -_mean_entropy(cell), "ours: lower better"),
        "final_confidence": SignalSource(
            lambda cell: cell.values("final_confidence"), "R26: share of the majority answer"
        ),
        "chain_length": SignalSource(
            lambda cell: -cell.values("chain_tokens"), "ours: tokens, shorter better"
        ),
    }
)


def scores(cell: Cell, signal: Signal) -> Values:
    """Oriented scores `(n,)` of a named signal, rounded so that equal sums of logarithms tie."""
    return np.round(SIGNALS[signal].scores(cell), TIE_DECIMALS) + 0.0
