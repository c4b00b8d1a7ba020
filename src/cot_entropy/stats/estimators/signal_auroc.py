"""E1: how well each signal ranks right above wrong answers, and whether it beats the shape flag.

A signal's AUROC is over the questions where it is defined; a difference is over those where both
signals are, on the same resamples.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from cot_entropy.plan.entries.signal_auroc import SignalAuroc
from cot_entropy.plan.exploratory import Signal
from cot_entropy.stats.cells import Cell, Flags, Settings, Values
from cot_entropy.stats.explore.bootstrap import Rows, Weights, bootstrap
from cot_entropy.stats.explore.ranking import Ranking, auroc
from cot_entropy.stats.explore.signals import missing, scores
from cot_entropy.stats.rows import Estimate


@dataclass(frozen=True, eq=False)
class _Scored:
    name: Signal
    scores: Values
    defined: Flags


def estimate(cell: Cell, entry: SignalAuroc, settings: Settings) -> list[Estimate]:
    """AUROC of each signal, then its difference from the reference."""
    present = [name for name in entry.params.signals if not missing(cell, name)]
    signals = [_scored(cell, name) for name in present]
    reference = _scored(cell, entry.params.reference)
    others = [signal for signal in signals if signal.name != reference.name]
    statistic = _Statistic.of(cell, signals, others, reference)
    found = bootstrap(cell, settings, statistic)
    rows = Rows(entry=entry, cell=cell)
    alone, differences = found[: len(signals)], found[len(signals) :]
    undefined = "one outcome class, or the signal is undefined throughout"
    return (
        [
            rows.row(
                f"auroc[{signal.name}]",
                value,
                n=int(signal.defined.sum()),
                n_correct=int(cell.correct[signal.defined].sum()),
                undefined=undefined,
            )
            for signal, value in zip(signals, alone, strict=True)
        ]
        + [
            rows.row(
                f"auroc_difference[{signal.name} - {reference.name}]",
                value,
                n=int((signal.defined & reference.defined).sum()),
                n_correct=int(cell.correct[signal.defined & reference.defined].sum()),
                undefined=undefined,
            )
            for signal, value in zip(others, differences, strict=True)
        ]
        + [
            rows.not_run(f"auroc[{name}]", reason)
            for name in entry.params.signals
            if (reason := missing(cell, name))
        ]
    )


def _scored(cell: Cell, name: Signal) -> _Scored:
    values = scores(cell, name)
    return _Scored(name, values, ~np.isnan(values))


@dataclass(frozen=True, eq=False)
class _Statistic:
    """AUROC of every signal, then every difference; each ranking is summed once."""

    rankings: tuple[Ranking, ...]
    alone: tuple[int, ...]
    pairs: tuple[tuple[int, int], ...]

    @classmethod
    def of(
        cls, cell: Cell, signals: list[_Scored], others: list[_Scored], reference: _Scored
    ) -> _Statistic:
        rankings: dict[tuple[Signal, bytes], int] = {}
        built: list[Ranking] = []

        def index(signal: _Scored, included: Flags) -> int:
            key = (signal.name, included.tobytes())
            if key not in rankings:
                rankings[key] = len(built)
                built.append(Ranking.of(signal.scores, cell.correct, included))
            return rankings[key]

        alone = tuple(index(signal, signal.defined) for signal in signals)
        pairs = []
        for signal in others:
            both = signal.defined & reference.defined
            pairs.append((index(signal, both), index(reference, both)))
        return cls(tuple(built), alone, tuple(pairs))

    def __call__(self, weights: Weights) -> Values:
        areas = [auroc(ranking.sums(weights)) for ranking in self.rankings]
        values = [areas[index] for index in self.alone]
        values += [areas[left] - areas[right] for left, right in self.pairs]
        return np.array(values).reshape(len(values), weights.shape[1])
