"""E13 stands in variants.csv: it compares protocols."""

from cot_entropy.stats.explore.pending import not_run

estimate = not_run("needs the trajectories of the protocol variants")
