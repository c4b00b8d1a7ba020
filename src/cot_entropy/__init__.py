"""A preregistered replication pipeline for chain-of-thought entropy signals.

questions -> chains -> prefixes -> completions -> trajectories -> statistics -> verdicts -> report:
one module or package per arrow, one `cot-entropy` verb per arrow, one Snakemake rule per arrow.
"""

__version__ = "0.1.0"
