"""How often the entropy rises along the chain."""

from cot_entropy.stats.explore.signals import SignalSource

SIGNAL = SignalSource(lambda cell: -cell.violations, "Z26: fewer better")
