"""The most probable answer's share at the last prefix, by the completions' probabilities."""

from cot_entropy.stats.explore.class_probabilities import WEIGHED, at_the_end
from cot_entropy.stats.explore.signals import SignalSource

SIGNAL = SignalSource(
    lambda cell: at_the_end(cell, max),
    "Wang et al. 2023: the largest class's share of the normalised probabilities",
    needs=WEIGHED,
)
