"""The area under the entropies along the chain."""

from cot_entropy.stats.explore.entropy_dynamics import area
from cot_entropy.stats.explore.signals import SignalSource

SIGNAL = SignalSource(
    lambda cell: -area(cell.entropies),
    "ours: area under the trajectory over N, lower better",
)
