"""The perplexity of the chain: ranks as `mean_token_logprob` does."""

import numpy as np

from cot_entropy.stats.explore.signals import SignalSource

SIGNAL = SignalSource(
    lambda cell: -np.exp(-cell.values("chain_mean_logprob")),
    "exp of minus the chain's mean token log-probability, lower better: ranks as that does",
    needs=("chain_mean_logprob",),
)
