"""The length of the chain."""

from cot_entropy.stats.explore.signals import SignalSource

SIGNAL = SignalSource(lambda cell: -cell.values("chain_tokens"), "ours: tokens, shorter better")
