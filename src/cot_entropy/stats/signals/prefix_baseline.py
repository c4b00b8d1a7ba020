"""A baseline that needs no completion: what length and probabilities of the chain foretell."""

from cot_entropy.stats.explore.prefix_baseline import COLUMNS, prefix_scores
from cot_entropy.stats.explore.signals import SignalSource

SIGNAL = SignalSource(
    prefix_scores,
    "ours: cross-fitted log-odds from length, log-probability, token entropy and their "
    "slopes at the last prefix, no completion used; higher better",
    needs=COLUMNS,
    setting="engine.top_logprobs",
)
