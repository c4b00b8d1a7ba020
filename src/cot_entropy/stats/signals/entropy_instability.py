"""How restless the next token's entropy is along the chain."""

from cot_entropy.stats.explore.signals import SignalSource

SIGNAL = SignalSource(
    lambda cell: -cell.values("chain_entropy_instability"),
    "Zhu et al. 2026 (EDIS): bursts and rebounds of the next-token entropy, lower better; "
    "the window is inferred",
    needs=("chain_entropy_instability",),
    setting="engine.top_logprobs",
)
