"""The model's own probability of its chain, per token."""

from cot_entropy.stats.explore.signals import SignalSource

SIGNAL = SignalSource(
    lambda cell: cell.values("chain_mean_logprob"),
    "Guerreiro et al. 2023: length-normalised log-probability of the chain, higher better",
    needs=("chain_mean_logprob",),
)
