"""E15 stands in replication.csv: it is about all cells together."""

from cot_entropy.stats.explore.pending import not_run

estimate = not_run("is about all cells together: replication.csv")
