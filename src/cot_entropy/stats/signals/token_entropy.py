"""The spread of the next token, over the chain."""

from cot_entropy.stats.explore.signals import SignalSource

SIGNAL = SignalSource(
    lambda cell: -cell.values("chain_token_entropy"),
    "Fomicheva et al. 2020: mean next-token entropy of the chain, lower better; over the "
    "engine's most probable tokens and all others as one",
    needs=("chain_token_entropy",),
    setting="engine.top_logprobs",
)
