"""E12 stands in variants.csv: it is over the study's cells and its protocol variants."""

from cot_entropy.stats.explore.pending import not_run

estimate = not_run(
    "needs the trajectories of the protocol variants; this cell's rho(C) stands under H2"
)
