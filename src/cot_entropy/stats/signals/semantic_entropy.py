"""The entropy of the answers at the last prefix, each weighed by its completion's probability."""

from scipy.stats import entropy

from cot_entropy.stats.explore.class_probabilities import WEIGHED, at_the_end
from cot_entropy.stats.explore.signals import SignalSource

SIGNAL = SignalSource(
    lambda cell: -at_the_end(cell, lambda shares: float(entropy(shares))),
    "Kuhn et al. 2023, over classes of equivalent answers at the last prefix, "
    "length-normalised; lower better. Unweighted it is final_entropy",
    needs=WEIGHED,
)
