"""The exploratory half of the analysis: E1..E15, each a function of one cell and its plan entry."""

from __future__ import annotations

from collections.abc import Callable
from types import MappingProxyType
from typing import Final, TypeVar

from cot_entropy.plan import exploratory as plan
from cot_entropy.plan.exploratory import ExploratoryEntry
from cot_entropy.stats.cells import Cell, Estimator, Estimators, Settings
from cot_entropy.stats.explore import (
    coherence_map,
    cost,
    coupling,
    eps_sweep,
    fewer_samples,
    length_adjusted,
    no_answer,
    pending,
    selective,
    signal_auroc,
    token_confidence,
    trajectory_budget,
)
from cot_entropy.stats.rows import Estimate

__all__ = ["ESTIMATORS"]

EntryT = TypeVar("EntryT")


def _for(
    kind: type[EntryT], estimate: Callable[[Cell, EntryT, Settings], list[Estimate]]
) -> Estimator:
    def run(cell: Cell, entry: ExploratoryEntry, settings: Settings) -> list[Estimate]:
        if not isinstance(entry, kind):
            raise TypeError(f"{entry.id}: {kind.__name__} expected, not {type(entry).__name__}")
        return estimate(cell, entry, settings)

    return run


ESTIMATORS: Final[Estimators] = MappingProxyType(
    {
        "signal_auroc": _for(plan.SignalAuroc, signal_auroc.estimate),
        "risk_coverage": _for(plan.RiskCoverage, selective.estimate),
        "coupling": _for(plan.Coupling, coupling.estimate),
        "eps_sweep": _for(plan.EpsSweep, eps_sweep.estimate),
        "trajectory_budget": _for(plan.TrajectoryBudget, trajectory_budget.estimate),
        "length_adjusted": _for(plan.LengthAdjusted, length_adjusted.estimate),
        "no_answer": _for(plan.NoAnswer, no_answer.estimate),
        "fewer_samples": _for(plan.FewerSamples, fewer_samples.estimate),
        "cost": _for(plan.Cost, cost.estimate),
        "token_confidence": _for(plan.TokenConfidence, token_confidence.estimate),
        "consistency": pending.not_run("no consistency labels beside the trajectories"),
        "coherence_map": _for(plan.CoherenceMap, coherence_map.estimate),
        "variants": pending.not_run("needs the trajectories of the protocol variants"),
        "replication": pending.not_run("sets studies beside each other: replication.csv"),
        "pooled": pending.not_run("is about all cells together: replication.csv"),
    }
)
"""The estimator of each name that the plan can hold."""
