"""The majority's share of the answers at the last prefix."""

from cot_entropy.stats.explore.signals import SignalSource

SIGNAL = SignalSource(
    lambda cell: cell.values("final_confidence"), "R26: share of the majority answer"
)
