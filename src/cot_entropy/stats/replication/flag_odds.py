"""E15's regressions: the flag's odds ratio over all cells, and what changes it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from cot_entropy.plan.entries.pooled import PooledParams
from cot_entropy.plan.model import Hypothesis, Plan
from cot_entropy.stats.replication.clustered import Fitted, PanelRows, fit_clustered, panel_rows
from cot_entropy.stats.replication.pairs import natural
from cot_entropy.stats.replication.panel import PanelCell
from cot_entropy.stats.replication.rows import EVERY_CELL, ReplicationRow

Values = NDArray[np.float64]
METHOD = "GEE, cells as fixed effects, questions as clusters"


@dataclass(frozen=True, eq=False)
class FlagOdds:
    """The cells of one hypothesis about the flag; `everyone` are all cells of the run."""

    hypothesis: Hypothesis
    plan: Plan
    params: PooledParams
    cells: Sequence[PanelCell]
    everyone: Sequence[PanelCell]

    @cached_property
    def data(self) -> PanelRows:
        """The questions with a shape, stacked."""
        return panel_rows(self.cells, self.everyone)

    def rows(self) -> Iterator[ReplicationRow]:
        """The pooled odds ratio, at equal difficulty, and its interactions."""
        flag = self.data.flag
        yield from self._ratios(["gee_odds_ratio"], [flag], self._all, METHOD)
        yield from self._equal_difficulty()
        for part in self.params.interactions:
            yield from self._length() if part == "chain_length" else self._interaction(part)

    @property
    def _all(self) -> Values:
        return np.ones(len(self.data.flag))

    def _equal_difficulty(self) -> Iterator[ReplicationRow]:
        """Accuracy of the other models on the question as a covariate."""
        known = ~np.isnan(self.data.others)
        name = "gee_odds_ratio[equal difficulty]"
        if not known.any():
            yield self._row(name, reason="no other model was asked these questions")
            return
        others = np.where(known, self.data.others, 0.0)
        note = "given the share of the other models that are right on the question"
        yield from self._ratios([name], [others, self.data.flag], known.astype(np.float64), note)

    def _length(self) -> Iterator[ReplicationRow]:
        names = ["interaction[per standard deviation of log chain length]"]
        columns = [self.data.length, self.data.flag, self.data.flag * self.data.length]
        yield from self._ratios(names, columns, self._all, "a ratio of odds ratios")

    def _interaction(self, part: str) -> Iterator[ReplicationRow]:
        """Ratios of odds ratios against the first name, and the joint test."""
        owners = [getattr(cell, part) for cell in self.cells]
        names = list(dict.fromkeys(owners))
        if len(names) < 2:
            yield self._row(f"interaction[{part}]", reason=f"one {part}")
            return
        member = [
            np.array([owner == name for owner in owners], dtype=np.float64)[self.data.cell]
            for name in names[1:]
        ]
        columns = [self.data.flag, *(self.data.flag * one for one in member)]
        labels = [f"interaction[{name} v {names[0]}]" for name in names[1:]]
        found = fit_clustered(self.data, columns, kept=self._all)
        if isinstance(found, str):
            yield self._row(f"interaction[{part}]", reason=found)
            return
        for place, label in enumerate(labels, start=1):
            yield self._ratio(label, found, place, "a ratio of odds ratios", len(self.data.flag))
        places = range(1, len(columns))
        note = f"Wald test that the flag does the same for each {part}"
        yield replace(self._row(f"interaction[{part}]", reason=note), p_value=found.wald_p(places))

    def _ratios(
        self, names: Sequence[str], columns: Sequence[Values], kept: Values, note: str
    ) -> Iterator[ReplicationRow]:
        """The exponentials of the last columns' coefficients, one name each."""
        found = fit_clustered(self.data, columns, kept=kept)
        first = len(columns) - len(names)
        for place, name in enumerate(names, start=first):
            if isinstance(found, str):
                yield self._row(name, reason=found)
            else:
                yield self._ratio(name, found, place, note, int(kept.sum()))

    def _ratio(self, name: str, found: Fitted, place: int, note: str, n: int) -> ReplicationRow:
        effect = found.effect(place)
        values = (effect.estimate, *effect.interval(self.plan.level))
        estimate, low, high = (natural(value, "log_odds_ratio") for value in values)
        return replace(
            self._row(name, reason=note), estimate=estimate, ci_low=low, ci_high=high,
            p_value=effect.p_value, n=n,
        )  # fmt: skip

    def _row(self, quantity: str, *, reason: str) -> ReplicationRow:
        return ReplicationRow(
            id="E15",
            hypothesis=self.hypothesis.id,
            cell=EVERY_CELL,
            scale="odds_ratio",
            quantity=quantity,
            reason=reason,
        )
