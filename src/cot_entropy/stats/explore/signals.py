"""Scores of the signals that `stats/signals/` holds, by name."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from cot_entropy.plan.exploratory import SIGNALS, Signal
from cot_entropy.signal.entropy import TIE_DECIMALS
from cot_entropy.stats.cells import Cell, Values
from cot_entropy.stats.explore.columns import absent


@dataclass(frozen=True)
class SignalSource:
    """A signal's scores `(n,)`, NaN where undefined, and where it comes from."""

    scores: Callable[[Cell], Values]
    source: str
    needs: tuple[str, ...] = ()
    """Optional columns of the trajectories; where one is absent the signal is not run."""
    setting: str = ""
    """The study's setting without which those columns are not made."""


def missing(cell: Cell, signal: Signal) -> str:
    """Why a signal is not run in a cell, or ''."""
    found = _source(signal)
    reason = absent(found.needs, cell)
    return f"{reason}; needs {found.setting}" if reason and found.setting else reason


def scores(cell: Cell, signal: Signal) -> Values:
    """Oriented scores `(n,)` of a named signal; NaN throughout where its columns are absent."""
    if missing(cell, signal):
        return np.full(cell.n, np.nan)
    return oriented(cell, _source(signal))


def oriented(cell: Cell, source: SignalSource) -> Values:
    """Scores `(n,)`, rounded so that equal sums of logarithms tie, without -0.0."""
    return np.round(source.scores(cell), TIE_DECIMALS) + 0.0


def _source(signal: Signal) -> SignalSource:
    found: SignalSource = SIGNALS.load(signal).SIGNAL
    return found
