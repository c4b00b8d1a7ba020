"""E2: risk-coverage areas of every signal, and their paired differences from the shape flag.

One population for all signals, the questions on which each is defined, so that coverages mean
the same. The shared range begins at the first coverage that every signal achieves; signals that
are constant in the cell achieve only 1 and are left out of it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

import numpy as np

from cot_entropy.plan.entries.risk_coverage import RiskCoverage as RiskCoverageEntry
from cot_entropy.plan.exploratory import Signal
from cot_entropy.stats.cells import Cell, Settings, Values
from cot_entropy.stats.explore.bootstrap import Rows, Weights, bootstrap
from cot_entropy.stats.explore.ranking import Ranking
from cot_entropy.stats.explore.risk_coverage import RiskCoverage
from cot_entropy.stats.explore.signals import missing, scores
from cot_entropy.stats.rows import Estimate

REFERENCE: Final[Signal] = "shape_flag"
CONSTANT: Final = "the signal is constant here: its only coverage is 1"

Area = Callable[[RiskCoverage, Values], Values]

RANGES: Final[Mapping[str, Area]] = MappingProxyType(
    {
        "achievable": lambda curve, _: curve.achievable(),
        "zero_extended": lambda curve, _: curve.zero_extended(),
        "shared": lambda curve, start: curve.area(start),
    }
)


def estimate(cell: Cell, entry: RiskCoverageEntry, settings: Settings) -> list[Estimate]:
    """Areas of each signal, their differences from the flag's, and accuracy gained at its coverage.

    A difference below 0 means less risk than by the shape flag. `accuracy_gain_pp` is the accuracy
    of the answers given at the flag's coverage less that of all answers, percentage points.
    """
    rows = Rows(entry=entry, cell=cell)
    named = entry.params.signals
    absent = [
        rows.not_run(f"aurc[{name}]", reason) for name in named if (reason := missing(cell, name))
    ]
    present = [name for name in named if not missing(cell, name)]
    entry = entry.model_copy(
        update={"params": entry.params.model_copy(update={"signals": present})}
    )
    columns = {name: scores(cell, name) for name in entry.params.signals}
    included = ~np.isnan(np.array(list(columns.values()))).any(axis=0)
    names = _quantities(entry)
    n = int(included.sum())
    if not n:
        reason = "no question has every signal defined"
        return [rows.not_assessable(name, reason, n=0) for name in names] + absent
    rankings = {
        name: Ranking.of(column, cell.correct, included) for name, column in columns.items()
    }
    found = bootstrap(cell, settings, _Statistic(entry, rankings))
    n_correct = int(cell.correct[included].sum())
    return [
        rows.row(name, value, n=n, n_correct=n_correct, undefined=CONSTANT)
        for name, value in zip(names, found, strict=True)
    ] + absent


def _measures(entry: RiskCoverageEntry) -> list[str]:
    return [*(f"aurc_{name}" for name in entry.params.ranges), "augrc"]


def _others(entry: RiskCoverageEntry) -> list[Signal]:
    signals = entry.params.signals
    return [name for name in signals if name != REFERENCE] if REFERENCE in signals else []


def _quantities(entry: RiskCoverageEntry) -> list[str]:
    """The names of the rows, in the order of `_Statistic`'s numbers."""
    alone = ["first_coverage", *_measures(entry), "e_aurc"]
    return (
        [f"{measure}[{name}]" for name in entry.params.signals for measure in alone]
        + [
            f"{measure}_difference[{name} - {REFERENCE}]"
            for name in _others(entry)
            for measure in _measures(entry)
        ]
        + [
            f"accuracy_gain_pp[{name}]"
            for name in entry.params.signals
            if REFERENCE in entry.params.signals
        ]
    )


@dataclass(frozen=True, eq=False)
class _Statistic:
    entry: RiskCoverageEntry
    rankings: Mapping[Signal, Ranking]

    def __call__(self, weights: Weights) -> Values:
        curves = {
            name: RiskCoverage.of(ranking.sums(weights)) for name, ranking in self.rankings.items()
        }
        firsts = [
            curve.first_coverage
            for name, curve in curves.items()
            if len(self.rankings[name].levels) > 1
        ]
        start = np.max(firsts, axis=0) if firsts else np.ones(weights.shape[1])
        measured = {
            name: [*(RANGES[key](curve, start) for key in self.entry.params.ranges), curve.augrc()]
            for name, curve in curves.items()
        }
        values = [
            number
            for name, curve in curves.items()
            for number in (curve.first_coverage, *measured[name], curve.excess())
        ]
        for name in _others(self.entry):
            pairs = zip(measured[name], measured[REFERENCE], strict=True)
            values += [left - right for left, right in pairs]
        if REFERENCE in curves:
            given = curves[REFERENCE].first_coverage
            values += [100 * (curve.risk[-1] - curve.risk_at(given)) for curve in curves.values()]
        return np.array(values)
