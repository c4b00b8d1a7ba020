"""E12 and E13: what each protocol variant does to a cell's numbers, one factor at a time.

Every variant asks the same questions as the study's own protocol, so that a difference is paired:
both numbers are computed on the same resamples of questions. All of it is exploratory.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from types import MappingProxyType
from typing import Final

import numpy as np

from cot_entropy.base.errors import DataError, PlanError
from cot_entropy.plan.entries.coherence_map import CoherenceMap
from cot_entropy.plan.entries.variants import VariantQuantity, Variants
from cot_entropy.plan.load import load_plan
from cot_entropy.plan.model import Plan
from cot_entropy.protocol.variants import Absent, VariantsJob
from cot_entropy.stats.cells import Cell, NullBounds, Settings, Values, read_cell
from cot_entropy.stats.confirm.hypotheses import settings_of
from cot_entropy.stats.estimators.coherence_map import null_word, weighted_rho
from cot_entropy.stats.explore.bootstrap import Rows, Weights, ratio, summary
from cot_entropy.stats.explore.ranking import Ranking, auroc
from cot_entropy.stats.explore.shape_tables import ShapeTables
from cot_entropy.stats.explore.signals import oriented
from cot_entropy.stats.resampling import Counts
from cot_entropy.stats.rows import VariantEstimate
from cot_entropy.stats.signals import final_entropy
from cot_entropy.stats.tables import VARIANT_COLUMNS, write_table

Statistic = Callable[[Weights], Values]
"""Question weights `(n, b)` to one number per resample `(b,)`, NaN where undefined."""


def _gap(cell: Cell) -> Statistic:
    tables = ShapeTables.of([cell], [np.ones(cell.n, dtype=np.bool_)])
    return lambda weights: tables.gap(weights)[0]


def _flag_rate(cell: Cell) -> Statistic:
    defined = cell.shape_defined.astype(np.float64)
    monotone = (cell.shape_defined & cell.monotone).astype(np.float64)
    return lambda weights: ratio(monotone @ weights, defined @ weights)


def _rho(column: str) -> Callable[[Cell], Statistic]:
    return lambda cell: weighted_rho(cell, column)


def _mean(values: Values) -> Statistic:
    return lambda weights: ratio(values @ weights, weights.sum(axis=0))


def _final_entropy(cell: Cell) -> Statistic:
    values = oriented(cell, final_entropy.SIGNAL)
    ranking = Ranking.of(values, cell.correct, ~np.isnan(values))
    return lambda weights: auroc(ranking.sums(weights))


QUANTITIES: Final[Mapping[VariantQuantity, tuple[str, Callable[[Cell], Statistic]]]] = (
    MappingProxyType(
        {
            "accuracy_gap": ("accuracy_gap_pp", _gap),
            "flag_rate": ("flag_rate", _flag_rate),
            "rho_violations": ("rho_violations", _rho("violations")),
            "accuracy": ("accuracy", lambda cell: _mean(cell.correct.astype(np.float64))),
            "auroc_final_entropy": ("auroc_final_entropy", _final_entropy),
            "tokens_per_question": (
                "tokens_per_question",
                lambda cell: _mean(cell.values("chain_tokens") + cell.values("probe_tokens")),
            ),
        }
    )
)
"""The plan's names: the number's name in the table, and the statistic of a cell."""


def compare_variants(job: VariantsJob, *, plan: Path, out: Path) -> None:
    """Write `out`, a row per cell, protocol and quantity; raises PlanError and DataError.

    The plan must hold the entries `coherence_map` and `variants`.
    """
    loaded = load_plan(plan)
    paths = iter(job.trajectories)
    rows: list[VariantEstimate] = []
    for name in job.cells:
        own = read_cell(Path(next(paths)))
        variants = {one.name: _same_questions(own, Path(next(paths))) for one in job.variants}
        if own.name != name:
            raise DataError(f"{name}: its trajectories hold cell `{own.name}`; score again")
        reseeded = [variants[one.name] for one in job.variants if one.reseeded]
        rows += compare_cell(loaded.plan, own, {job.protocol: own, **variants}, reseeded)
        rows += absent_rows(loaded.plan, own, job.absent)
    write_table(
        out, rows, columns=VARIANT_COLUMNS, plan_sha256=loaded.sha256, trajectories_sha256={}
    )


def compare_cell(
    plan: Plan, own: Cell, protocols: Mapping[str, Cell], reseeded: Sequence[Cell]
) -> list[VariantEstimate]:
    """All rows of one cell: `protocols` by name, the study's own (`own`) among them.

    `reseeded` are the further decoding runs of the study's own protocol. Raises PlanError where
    the plan lacks E12's or E13's entry.
    """
    compared = _Compared(plan, own, protocols, reseeded)
    entries = {entry.estimator: entry for entry in plan.exploratory}
    mapped, varied = entries.get("coherence_map"), entries.get("variants")
    if not isinstance(mapped, CoherenceMap) or not isinstance(varied, Variants):
        raise PlanError("exploratory: the plan has no entries `coherence_map` and `variants`")
    note = ""
    if 1 + len(reseeded) < varied.params.seeds:
        note = f"{1 + len(reseeded)} of the plan's {varied.params.seeds} decoding runs"
    return [
        *compared.rows(mapped, "rho_coherence", _rho("coherence"), "", compared.settings.null),
        *(
            row
            for quantity in varied.params.quantities
            for row in compared.rows(varied, *QUANTITIES[quantity], note, None)
        ),
    ]


def absent_rows(plan: Plan, own: Cell, absent: Sequence[Absent]) -> list[VariantEstimate]:
    """One `not run` row per registered variant that the study leaves out, with the reason."""
    reasons = {one.name: one.reason for one in absent}
    return [
        VariantEstimate(
            **vars(
                Rows(entry=entry, cell=own).not_run(
                    f"{QUANTITIES[factor.quantity][0]}[{name}]", reasons[name]
                )
            ),
            variant=name,
        )
        for entry in plan.exploratory
        if isinstance(entry, Variants)
        for factor in entry.params.factors
        for name in factor.variants
        if name in reasons
    ]


@dataclass(frozen=True, eq=False)
class _Compared:
    plan: Plan
    own: Cell
    protocols: Mapping[str, Cell]
    reseeded: Sequence[Cell]

    @property
    def settings(self) -> Settings:
        return settings_of(self.plan)

    @cached_property
    def _blocks(self) -> list[Counts]:
        return list(self.own.counts(self.settings))

    def rows(
        self,
        entry: CoherenceMap | Variants,
        quantity: str,
        statistic: Callable[[Cell], Statistic],
        note: str,
        null: NullBounds | None,
    ) -> Iterator[VariantEstimate]:
        """One row per protocol, each beside the study's own on the same resamples."""
        own_point, own_draws = self._evaluate(statistic(self.own))
        runs = [own_point, *(_point(statistic(cell), cell) for cell in self.reseeded)]
        spread = float(np.std(runs, ddof=1)) + 0.0 if len(runs) > 1 else None
        if spread is not None and np.isnan(spread):
            spread = None
        for name, cell in self.protocols.items():
            point, draws = self._evaluate(statistic(cell))
            level = self.settings.level
            found = summary(point, draws, level)
            difference = summary(point - own_point, draws - own_draws, level)
            reason = note
            if null is not None and found.estimate is not None:
                reason = null_word(draws[~np.isnan(draws)], null)
            row = Rows(entry=entry, cell=cell).row(
                f"{quantity}[{name}]",
                found,
                n=cell.n,
                n_monotone=int((cell.monotone & cell.shape_defined).sum()),
                n_correct=int(cell.correct.sum()),
                reason=reason,
            )
            changed = cell is not self.own
            yield VariantEstimate(
                **vars(row),
                variant=name,
                difference=difference.estimate if changed else None,
                difference_low=difference.low if changed else None,
                difference_high=difference.high if changed else None,
                between_seed_sd=spread,
                trajectories_sha256=cell.trajectories_sha256,
            )

    def _evaluate(self, statistic: Statistic) -> tuple[float, Values]:
        draws = [statistic(block.T.astype(np.float32)) for block in self._blocks]
        return _point(statistic, self.own), np.concatenate(draws)


def _point(statistic: Statistic, cell: Cell) -> float:
    return float(statistic(np.ones((cell.n, 1), dtype=np.float32))[0])


def _same_questions(own: Cell, path: Path) -> Cell:
    """A variant of a cell, its questions in the order of the cell's; raises DataError."""
    cell = read_cell(path)
    if cell.name != own.name or set(cell.frame["question_id"]) != set(own.frame["question_id"]):
        raise DataError(f"{path}: not the questions of {own.name}; a difference cannot be paired")
    ordered = cell.frame.set_index("question_id").loc[own.frame["question_id"]].reset_index()
    return replace(cell, frame=ordered)
