"""E11 stands in consistency/<judge>/estimates.csv: it needs a judge's labels."""

from cot_entropy.stats.explore.pending import not_run

estimate = not_run("no consistency labels beside the trajectories")
