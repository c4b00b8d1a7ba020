"""E9: generated tokens per question, against self-consistency with many chains.

Self-consistency samples k whole chains and votes; its cost is k times the reference chain's.
Prompt tokens are not counted on either side: a prefix cache reads them once.
"""

from __future__ import annotations

import numpy as np

from cot_entropy.plan.entries.cost import Cost
from cot_entropy.stats.cells import Cell, Settings, Values
from cot_entropy.stats.explore.bootstrap import Rows, Weights, bootstrap, ratio
from cot_entropy.stats.rows import Estimate


def estimate(cell: Cell, entry: Cost, settings: Settings) -> list[Estimate]:
    """Mean tokens of chain, probes, both and the baseline, and ours as a share of the baseline."""
    rows = Rows(entry=entry, cell=cell)
    chains = entry.params.self_consistency_chains
    tokens = np.array([cell.values("chain_tokens"), cell.values("probe_tokens")])

    def statistic(weights: Weights) -> Values:
        chain, probe = ratio(tokens @ weights, weights.sum(axis=0))
        ours, baseline = chain + probe, chains * chain
        return np.array([chain, probe, ours, baseline, 100 * ratio(ours, baseline)])

    quantities = [
        "chain_tokens_per_question",
        "probe_tokens_per_question",
        "tokens_per_question",
        f"tokens_per_question[self-consistency, {chains} chains]",
        f"tokens_percent_of_self_consistency[{chains} chains]",
    ]
    found = bootstrap(cell, settings, statistic)
    return [
        rows.row(name, value, n=cell.n, reason="generated tokens", undefined="no chain has tokens")
        for name, value in zip(quantities, found, strict=True)
    ]
