"""How far the entropy falls from the first prefix to the last."""

from cot_entropy.stats.explore.signals import SignalSource

SIGNAL = SignalSource(lambda cell: cell.coherence, "Z26: H_0 - H_N, higher better")
