"""E14 stands in replication.csv: it sets studies beside each other."""

from cot_entropy.stats.explore.pending import not_run

estimate = not_run("sets studies beside each other: replication.csv")
