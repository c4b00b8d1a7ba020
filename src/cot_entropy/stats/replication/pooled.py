"""E15: one answer over all cells of a hypothesis, and how much the cells differ."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from cot_entropy.plan.entries.pooled import PooledParams
from cot_entropy.plan.model import Hypothesis, Plan
from cot_entropy.stats.confirm.decision import read_rule
from cot_entropy.stats.intervals import Bracket, percentile
from cot_entropy.stats.replication.effects import Scale
from cot_entropy.stats.replication.heterogeneity import RandomEffects, random_effects
from cot_entropy.stats.replication.pairs import NAMES, natural
from cot_entropy.stats.replication.panel import CellDraws, RankedSignal
from cot_entropy.stats.replication.rows import EVERY_CELL, ReplicationRow
from cot_entropy.stats.replication.stratified import (
    cell_gaps,
    cell_log_odds,
    cell_z,
    pooled_gap,
    pooled_log_odds,
    pooled_z,
)

Values = NDArray[np.float64]
OVER_MODELS: Final = ("mean_of_models", "prediction_new_model")
ONE_BENCHMARK: Final = "not estimable: two benchmarks do not identify how benchmarks differ"


@dataclass(frozen=True, eq=False)
class Pooled:
    """One hypothesis over the cells given, on one scale, from their shared draws."""

    hypothesis: Hypothesis
    plan: Plan
    params: PooledParams
    scale: Scale
    draws: tuple[CellDraws, ...]

    @cached_property
    def cells(self) -> Values:
        """Each cell's effect, data first and then the draws, `(B + 1, k)`."""
        if self.scale == "atanh_rho":
            ranks = [one.ranks[self._signal] for one in self.draws]
            return np.column_stack([cell_z(right, wrong) for right, wrong in ranks])
        shapes = np.stack([one.shape for one in self.draws], axis=1)
        return cell_gaps(shapes) if self.scale == "accuracy_gap_pp" else cell_log_odds(shapes)

    @property
    def _signal(self) -> RankedSignal:
        return "coherence" if self.hypothesis.estimand == "rho_coherence" else "violations"

    @cached_property
    def sizes(self) -> Values:
        """Questions with a defined estimand in each cell, `(k,)`."""
        if self.scale == "atanh_rho":
            return np.array(
                [sum(side[0].sum() for side in one.ranks[self._signal]) for one in self.draws]
            )
        return np.array([one.shape[0].sum() for one in self.draws])

    def over(self, chosen: Sequence[int]) -> Values:
        """The pooled effect of some cells, data first, `(B + 1,)`."""
        places = list(chosen)
        if self.scale == "atanh_rho":
            defined = [place for place in places if not np.isnan(self.cells[0, place])]
            return pooled_z(self.cells[:, defined], self.sizes[defined])
        tables = np.stack([self.draws[place].shape for place in places], axis=1)
        return pooled_gap(tables) if self.scale == "accuracy_gap_pp" else pooled_log_odds(tables)

    def rows(self) -> Iterator[ReplicationRow]:
        """The pooled effect, heterogeneity, prediction, and each model and dataset left out."""
        every = range(len(self.draws))
        yield self.pooled_row("pooled_effect", every, decide=True)
        yield from self._heterogeneity()
        for part in self.params.leave_out:
            names = dict.fromkeys(getattr(one.cell, part) for one in self.draws)
            for name in names if len(names) > 1 else ():
                kept = [i for i in every if getattr(self.draws[i].cell, part) != name]
                yield self.pooled_row(f"pooled_effect[without {name}]", kept)

    def pooled_row(
        self, quantity: str, chosen: Sequence[int], *, decide: bool = False
    ) -> ReplicationRow:
        """A pooled effect with its percentile interval, normal p, and what the rule says."""
        values = self.over(chosen)
        n = int(self.sizes[list(chosen)].sum())
        if np.isnan(values[0]):
            return self.row(quantity, n=n, reason="undefined in these cells")
        draws = values[1:][~np.isnan(values[1:])]
        spread = float(draws.std(ddof=1)) if len(draws) > 1 else 0.0
        if spread == 0:
            return self.row(quantity, float(values[0]), n=n, reason="the resamples do not vary")
        p = float(2 * stats.norm.sf(abs(values[0]) / spread))
        notes = ["questions drawn, each with all its models"]
        if dropped := len(values) - 1 - len(draws):
            notes.append(f"{dropped} of {len(values) - 1} resamples undefined and dropped")
        met = self._met(draws) if decide else None
        bracket = percentile(draws, level=self.plan.level)
        return self.row(
            quantity, float(values[0]), bracket, p_value=p, n=n, met=met, reason="; ".join(notes)
        )

    def _met(self, draws: Values) -> bool:
        """Whether the pooled interval lies where the hypothesis's rule asks for."""
        levels = self.hypothesis.levels
        found = [self._bracket(draws, level) for level in (levels.supported, levels.refuted)]
        bounds = self.hypothesis.bounds
        if self.scale == "log_odds_ratio":
            bounds = bounds.model_copy(update={"threshold": 1.0})
        reading = read_rule(self.hypothesis.rule, bounds, supported=found[0], refuted=found[1])
        return reading == "supported"

    def _bracket(self, draws: Values, level: float) -> Bracket | None:
        bracket = percentile(draws, level=level)
        if bracket is None:
            return None
        low, high = (natural(end, self.scale) or 0.0 for end in bracket)
        return Bracket(low, high)

    def _heterogeneity(self) -> Iterator[ReplicationRow]:
        places = [i for i in range(len(self.draws)) if not np.isnan(self.cells[0, i])]
        over_cells = self._fit(self.cells[:, places])
        if isinstance(over_cells, str):
            yield self.row("tau", reason=over_cells)
        else:
            note = f"REML over {len(places)} cells, covariance of the question bootstrap"
            tau = float(np.sqrt(over_cells.tau2))
            yield replace(self.row("tau", reason=note), estimate=tau)
            yield replace(
                self.row("i2", p_value=over_cells.q_p, reason="p of Cochran's Q"),
                estimate=over_cells.i2,
            )
        yield from self._over_models(places)
        yield self.row("prediction_new_benchmark", reason=ONE_BENCHMARK)

    def _over_models(self, places: Sequence[int]) -> Iterator[ReplicationRow]:
        """The mean of all models, and where that of a further model lies, over these benchmarks.

        Models are the draws, not cells: the cells of one model share its effect.
        """
        models = dict.fromkeys(self.draws[i].cell.model for i in places)
        datasets = {self.draws[i].cell.dataset for i in places}
        columns = []
        for model in models:
            own = [i for i in places if self.draws[i].cell.model == model]
            if len(own) == len(datasets):
                columns.append(self.cells[:, own].mean(axis=1))
        found: RandomEffects | str = f"not estimable: {len(columns)} complete models"
        if len(columns) >= 3:
            found = self._fit(np.column_stack(columns))
        if isinstance(found, str):
            yield from (self.row(one, reason=found) for one in OVER_MODELS)
            return
        note = f"from the means of {len(columns)} models over these benchmarks; REML"
        mean, new = OVER_MODELS
        kind = f"Hartung and Knapp, t with {len(columns) - 1} degrees of freedom"
        yield self.row(mean, found.mean, found.interval, reason=f"{note}, {kind}")
        yield self.row(new, found.mean, found.prediction, reason=f"{note}, t")

    def _fit(self, effects: Values) -> RandomEffects | str:
        if effects.shape[1] < 2:
            return "not estimable: fewer than two cells"
        draws = effects[1:][~np.isnan(effects[1:]).any(axis=1)]
        if len(draws) <= effects.shape[1]:
            return "not estimable: too few defined resamples"
        try:
            covariance = np.asarray(np.cov(draws.T), dtype=np.float64)
            return random_effects(effects[0], covariance, level=self.plan.level)
        except ValueError as error:
            return f"not estimable: {error}"

    def row(
        self,
        quantity: str,
        estimate: float | None = None,
        interval: Bracket | None = None,
        **more: Any,
    ) -> ReplicationRow:
        """A row of this hypothesis and scale, in the unit that is shown."""
        low, high = interval or (None, None)
        values = [natural(value, self.scale) for value in (estimate, low, high)]
        return ReplicationRow(
            id="E15",
            hypothesis=self.hypothesis.id,
            cell=EVERY_CELL,
            scale=NAMES[self.scale],
            quantity=quantity,
            estimate=values[0],
            ci_low=values[1],
            ci_high=values[2],
            **more,
        )
