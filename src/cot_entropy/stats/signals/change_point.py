"""When the answers' entropy settles."""

from cot_entropy.stats.explore.entropy_dynamics import settled
from cot_entropy.stats.explore.signals import SignalSource

SIGNAL = SignalSource(
    lambda cell: settled(cell.entropies),
    "Xu et al. 2026: Page's CUSUM, here on answer entropies; the earlier the alarm the "
    "better; reference and alarm ours",
)
