"""E3: the same m samples give the final entropy and the outcome; how much of the signal is that?

Three outcomes: `majority`, the registered vote of the m samples at the last prefix; `chain`, the
reference chain's own answer; `held_out`, where m - 1 samples, the same at every prefix, give
entropies and flag, and the left-out sample at the last prefix is the outcome, averaged over the m
choices.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from cot_entropy.plan.entries.coupling import Coupling, Outcome
from cot_entropy.plan.exploratory import Signal
from cot_entropy.stats.cells import Cell, Settings, Values
from cot_entropy.stats.explore.bootstrap import Rows, Weights, bootstrap
from cot_entropy.stats.explore.columns import unusable
from cot_entropy.stats.explore.ranking import Ranking, auroc
from cot_entropy.stats.explore.rescore import COLUMNS, Samples, rescored, with_columns
from cot_entropy.stats.explore.shape_tables import ShapeTables
from cot_entropy.stats.explore.signals import scores
from cot_entropy.stats.rows import Estimate


def estimate(cell: Cell, entry: Coupling, settings: Settings) -> list[Estimate]:
    """Gap and AUROCs under each outcome, then their paired differences from the majority's."""
    rows = Rows(entry=entry, cell=cell)
    reason = unusable(COLUMNS, cell, settings.m) or (
        "one sample leaves none" if settings.m < 2 else ""
    )
    signals = entry.params.signals
    measures = ["accuracy_gap_pp", *(f"auroc[{signal}]" for signal in signals)]
    views = [
        _View.of(outcome, signals, _cells(cell, outcome, settings))
        for outcome in entry.params.outcomes
        if outcome != "held_out" or not reason
    ]
    others = [view for view in views if view.outcome != "majority"]
    reference = next((view for view in views if view.outcome == "majority"), None)
    compared = others if reference else []

    def statistic(weights: Weights) -> Values:
        found = {view.outcome: view.measure(weights) for view in views}
        return np.concatenate(
            [*found.values(), *(found["majority"] - found[view.outcome] for view in compared)]
        )

    labels: list[tuple[_View, str, str]] = [(view, view.outcome, "") for view in views]
    labels += [(view, f"majority - {view.outcome}", "_difference") for view in compared]
    names = [
        (view, index, _named(measure, label, suffix))
        for view, label, suffix in labels
        for index, measure in enumerate(measures)
    ]
    found = bootstrap(cell, settings, statistic) if views else []
    return [
        rows.row(name, value, n=view.sizes[index], reason=view.note, undefined=view.undefined)
        for (view, index, name), value in zip(names, found, strict=True)
    ] + [
        rows.not_run(_named(measure, "held_out", ""), reason)
        for measure in measures
        if reason and "held_out" in entry.params.outcomes
    ]


def _named(measure: str, label: str, suffix: str) -> str:
    name, bracket, signal = measure.partition("[")
    return (
        f"{name}{suffix}[{signal.rstrip(']')}, {label}]" if bracket else f"{name}{suffix}[{label}]"
    )


def _cells(cell: Cell, outcome: Outcome, settings: Settings) -> list[Cell]:
    """The cell under an outcome; for `held_out` one per left-out sample."""
    if outcome == "majority":
        return [cell]
    if outcome == "chain":
        return [with_columns(cell, correct=cell.frame["chain_correct"])]
    samples = Samples.of(cell, settings.m)
    found = []
    for left_out in range(settings.m):
        others = [index for index in range(settings.m) if index != left_out]
        scored = rescored(cell, samples.take(others), eps=settings.eps)
        found.append(with_columns(scored, correct=samples.right[:, left_out]))
    return found


@dataclass(frozen=True, eq=False)
class _View:
    """One outcome: its cells, one or one per left-out sample, and what is measured on them."""

    outcome: Outcome
    tables: ShapeTables
    rankings: tuple[tuple[Ranking, ...], ...]
    sizes: tuple[int, ...]

    @classmethod
    def of(cls, outcome: Outcome, signals: Sequence[Signal], cells: list[Cell]) -> _View:
        everyone = [np.full(cell.n, True) for cell in cells]
        tables = ShapeTables.of(cells, everyone)
        columns = [[scores(cell, signal) for cell in cells] for signal in signals]
        rankings = tuple(
            tuple(
                Ranking.of(column, cell.correct, ~np.isnan(column))
                for column, cell in zip(per_cell, cells, strict=True)
            )
            for per_cell in columns
        )
        sizes = [int(tables.included.sum(axis=1).min())]
        sizes += [
            int((~np.isnan(per_cell)).sum(axis=1).min()) for per_cell in map(np.array, columns)
        ]
        return cls(outcome, tables, rankings, tuple(sizes))

    @property
    def note(self) -> str:
        choices = len(self.tables.included)
        return f"mean over {choices} left-out samples" if self.outcome == "held_out" else ""

    @property
    def undefined(self) -> str:
        return "a shape group or an outcome class is empty"

    def measure(self, weights: Weights) -> Values:
        """Gap in percentage points, then an AUROC per signal, `(1 + signals, b)`."""
        gap = self.tables.gap(weights).mean(axis=0)
        areas = [
            np.mean([auroc(ranking.sums(weights)) for ranking in per_cell], axis=0)
            for per_cell in self.rankings
        ]
        return np.array([gap, *areas])
