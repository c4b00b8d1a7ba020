"""The entropy of the answers at the last prefix."""

from cot_entropy.stats.explore.signals import SignalSource

SIGNAL = SignalSource(lambda cell: -cell.final_entropy, "R26: H_N, lower better")
