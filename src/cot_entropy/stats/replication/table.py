"""`replication.csv`: every pair of studies, then the cells together."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from cot_entropy.plan.entries.pooled import Pooled as PooledEntry
from cot_entropy.plan.entries.pooled import PooledParams
from cot_entropy.plan.entries.replication import Replication
from cot_entropy.plan.load import load_plan
from cot_entropy.plan.model import Hypothesis, Plan
from cot_entropy.stats.published.model import Study, load_published
from cot_entropy.stats.replication.effects import gap_effect, log_odds_effect, rho_effect
from cot_entropy.stats.replication.families import family_rows
from cot_entropy.stats.replication.flag_odds import FlagOdds
from cot_entropy.stats.replication.pairs import replication_rows
from cot_entropy.stats.replication.panel import SIGNALS, PanelCell, draw_panel
from cot_entropy.stats.replication.pooled import Pooled
from cot_entropy.stats.replication.published_effects import (
    SCALES,
    StudyEffect,
    published_effects,
)
from cot_entropy.stats.replication.rows import COLUMNS, EVERY_CELL, THIS_RUN, ReplicationRow
from cot_entropy.stats.rows import Estimate
from cot_entropy.stats.tables import write_csv
from cot_entropy.stats.two_by_two import TwoByTwo


def replication_table(
    plan: Plan,
    studies: Sequence[Study],
    cells: Sequence[PanelCell],
    verdicts: Sequence[Estimate],
) -> list[ReplicationRow]:
    """E14 over the studies and the registered cells given, then E15 over those cells.

    Where none of the plan's cells is given, E15 is over the cells there are. A plan without an
    entry has no rows of it.
    """
    rows: list[ReplicationRow] = []
    for entry in plan.exploratory:
        if isinstance(entry, Replication):
            given = [cell for cell in cells if cell.name in plan.cells]
            ours = [effect for cell in given for effect in _measured(cell)]
            rows += replication_rows(plan, entry.params, [*published_effects(studies), *ours])
        elif isinstance(entry, PooledEntry):
            rows += _together(plan, entry.params, cells)
            rows += family_rows(plan, verdicts)
    return rows


def published_table(plan: Path) -> list[ReplicationRow]:
    """E14 from published.yaml beside the plan alone; raises PlanError where either is no use."""
    studies = load_published(plan.with_name("published.yaml")).studies
    rows = replication_table(load_plan(plan).plan, studies, [], [])
    return [row for row in rows if row.id == "E14"]


def write_replication(path: Path, rows: Sequence[ReplicationRow]) -> None:
    """Write the rows as CSV, atomically. Raises ValueError on NaN or infinity, naming the row."""
    write_csv(path, COLUMNS, ([getattr(row, name) for name in COLUMNS] for row in rows))


def _measured(cell: PanelCell) -> Iterator[StudyEffect]:
    """This run's effects in one cell, on every scale."""
    table = TwoByTwo.of([int(count) for count in cell.memberships().sum(axis=0)])
    for estimand, scales in SCALES.items():
        for scale in scales:
            if estimand == "accuracy_gap_pp":
                effect = gap_effect(table) if scale == estimand else log_odds_effect(table)
                n = table.monotone + table.other
            else:
                ranks = cell.ranked("coherence" if estimand == "rho_coherence" else "violations")
                effect = rho_effect(ranks.right, ranks.wrong)
                n = int(ranks.right.sum() + ranks.wrong.sum())
            yield StudyEffect(
                study=THIS_RUN,
                source=THIS_RUN,
                cell=cell.name,
                design="matched",
                n=n,
                estimand=estimand,
                scale=scale,
                effect=effect,
                basis="measured" if effect else "",
                note="" if effect else "a group is empty, a count is 0 or an outcome is missing",
            )


def _together(
    plan: Plan, params: PooledParams, cells: Sequence[PanelCell]
) -> Iterator[ReplicationRow]:
    registered = any(cell.name in plan.cells for cell in cells)
    everyone = [cell for cell in cells if not registered or cell.name in plan.cells]
    if not everyone:
        return
    draws = draw_panel(everyone, resamples=plan.resamples, seed=plan.seed, signals=SIGNALS)
    seen: set[str] = set()
    for hypothesis in plan.hypotheses:
        scales = SCALES.get(hypothesis.estimand, ())
        wanted = plan.cells_of(hypothesis)
        if not registered:
            # a hypothesis that repeats another for its own population has none here
            wanted = () if hypothesis.estimand in seen else tuple(cell.name for cell in everyone)
            seen.add(hypothesis.estimand)
        chosen = [i for i, cell in enumerate(everyone) if cell.name in wanted]
        if not scales or (not chosen and not registered):
            continue
        if not chosen:
            yield _not_run(hypothesis)
            continue
        for scale in scales:
            yield from Pooled(
                hypothesis, plan, params, scale, tuple(draws[i] for i in chosen)
            ).rows()
        if hypothesis.estimand == "accuracy_gap_pp":
            some = [everyone[i] for i in chosen]
            yield from FlagOdds(hypothesis, plan, params, some, everyone).rows()


def _not_run(hypothesis: Hypothesis) -> ReplicationRow:
    return ReplicationRow(
        id="E15",
        hypothesis=hypothesis.id,
        cell=EVERY_CELL,
        quantity="pooled_effect",
        reason="not run: no cell of its population was given",
    )
