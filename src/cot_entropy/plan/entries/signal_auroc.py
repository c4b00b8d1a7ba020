"""E1: AUROC of every signal for the registered outcome."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from cot_entropy.plan.exploratory import Entry, NamesSignals, Signal


class SignalParams(NamesSignals):
    """E1: signals to rank by, each compared with `reference` on the same resamples."""

    reference: Signal
    """The signal that each is compared with."""

    @property
    def named(self) -> Sequence[str]:
        """The reference too."""
        return [*self.signals, self.reference]


class SignalAuroc(Entry[SignalParams]):
    """E1: AUROC of every signal for the registered outcome."""

    estimator: Literal["signal_auroc"]
    """The estimator that the code implements."""
