"""From the plan and trajectory files to the tables of an analysis, and nothing else.

Every hypothesis of the plan gets a row in every cell of its population, in plan order; then come
the cells outside the plan, judged by the same rules and exploratory.
"""

from __future__ import annotations

import multiprocessing
from collections import Counter
from collections.abc import Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from threadpoolctl import threadpool_limits

from cot_entropy.base.errors import DataError
from cot_entropy.plan.exploratory import ESTIMATORS
from cot_entropy.plan.load import load_plan
from cot_entropy.plan.model import Hypothesis, Plan
from cot_entropy.stats.cells import read_cell
from cot_entropy.stats.confirm.hypotheses import Assessment, assess, settings_of
from cot_entropy.stats.confirm.rows import CellResult, Report
from cot_entropy.stats.published.comparison import comparison
from cot_entropy.stats.published.model import load_published
from cot_entropy.stats.published.row import write_comparison
from cot_entropy.stats.read_tables import read_rows
from cot_entropy.stats.replication.panel import PanelCell
from cot_entropy.stats.replication.table import replication_table, write_replication
from cot_entropy.stats.row_status import UNVERIFIED, Standings
from cot_entropy.stats.rows import Estimate
from cot_entropy.stats.tables import ESTIMATE_COLUMNS, VERDICT_COLUMNS, write_table


@dataclass(frozen=True)
class Analysis:
    """The rows of both tables, as written."""

    verdicts: tuple[Estimate, ...]
    estimates: tuple[Estimate, ...]

    def __str__(self) -> str:
        """What was written, in one line."""
        words = Counter(row.verdict for row in self.verdicts)
        counted = ", ".join(f"{number} {word}" for word, number in words.items())
        run = [row for row in self.verdicts if row.verdict not in {"not run", "failed"}]
        confirmatory = sum(row.kind == "confirmatory" for row in run)
        return (
            f"verdicts.csv ({counted}; {confirmatory or 'none'} confirmatory), "
            f"estimates.csv ({len(self.estimates)} rows)"
        )


def analyse(
    plan: Path,
    trajectories: Sequence[Path],
    out: Path,
    *,
    standings: Standings = UNVERIFIED,
    failed: Mapping[str, str] | None = None,
    variants: Path | None = None,
    jobs: int = 2,
) -> Analysis:
    """Write both tables into `out` and return their rows.

    Where published.yaml stands beside the plan, comparison.csv sets our numbers beside its.
    replication.csv holds the plan's E14 and E15, where it has them.

    `standings` says which rows a freeze vouches for (default: none, all exploratory);
    `failed` names cells that an earlier stage could not produce, and why. `variants` is the table
    of the protocol variants: its rows are compared with the published figures too, and the entries
    that it answers are not said to be `not run`. One process per cell,
    at most `jobs` at a time. Raises PlanError or DataError naming what cannot be used.
    """
    loaded = load_plan(plan)
    results = _run(loaded.plan, trajectories, jobs=jobs)
    by_cell: dict[str, CellResult] = {}
    for path, result in zip(trajectories, results, strict=True):
        if result.cell in by_cell:
            raise DataError(f"{path}: cell `{result.cell}` was given before; give each cell once")
        by_cell[result.cell] = result
    report = Report(
        plan=loaded.plan,
        results=by_cell,
        standings=standings.under(loaded.sha256),
        failed=failed or {},
    )
    verdicts, estimates = report.verdict_rows(), report.estimate_rows()
    elsewhere = read_rows(variants) if variants else ()
    answered = {(row.id, row.cell) for row in elsewhere}
    estimates = [
        row for row in estimates if row.verdict != "not run" or (row.id, row.cell) not in answered
    ]
    digests = {name: result.trajectories_sha256 for name, result in by_cell.items()}
    for name, columns, rows in (
        ("estimates.csv", ESTIMATE_COLUMNS, estimates),
        ("verdicts.csv", VERDICT_COLUMNS, verdicts),
    ):
        write_table(
            out / name,
            rows,
            columns=columns,
            plan_sha256=loaded.sha256,
            trajectories_sha256=digests,
        )
    published = plan.with_name("published.yaml")
    if published.is_file():
        compared = comparison(
            [*verdicts, *estimates, *elsewhere],
            published,
            level=loaded.plan.level,
            cells=loaded.plan.cells,
        )
        write_comparison(out / "comparison.csv", compared)
    studies = load_published(published).studies if published.is_file() else []
    panel = [result.panel for result in results]
    with threadpool_limits(limits=jobs):
        replicated = replication_table(loaded.plan, studies, panel, verdicts)
    if replicated:
        write_replication(out / "replication.csv", replicated)
    return Analysis(tuple(verdicts), tuple(estimates))


def analyse_cell(plan: Plan, path: Path) -> CellResult:
    """Everything about one trajectories file; one BLAS thread, so that cells share the cores."""
    cell = read_cell(path)
    hypotheses = hypotheses_for(plan, cell.name)
    settings = settings_of(plan)
    with threadpool_limits(limits=1):
        assessments = assess(cell, hypotheses, plan)
        explored = tuple(
            row
            for entry in plan.exploratory
            for row in ESTIMATORS.load(entry.estimator).estimate(cell, entry, settings)
        )
    return CellResult(
        cell=cell.name,
        trajectories_sha256=cell.trajectories_sha256,
        assessments=_by_id(assessments),
        explored=explored,
        panel=PanelCell.of(cell),
    )


def hypotheses_for(plan: Plan, cell: str) -> list[Hypothesis]:
    """The hypotheses whose population holds the cell.

    A cell outside the plan is judged by all of them, each test once: a hypothesis that only
    repeats an earlier one for another population (H4a, H4b) would repeat its rows.
    """
    if cell in plan.cells:
        return [one for one in plan.hypotheses if cell in plan.cells_of(one)]
    distinct: dict[tuple[str, str], Hypothesis] = {}
    for hypothesis in plan.hypotheses:
        distinct.setdefault((hypothesis.estimand, hypothesis.rule), hypothesis)
    return list(distinct.values())


def _by_id(assessments: Sequence[Assessment]) -> dict[str, Assessment]:
    return {assessment.hypothesis: assessment for assessment in assessments}


def _run(plan: Plan, paths: Sequence[Path], *, jobs: int) -> list[CellResult]:
    workers = min(jobs, len(paths))
    if workers <= 1:
        return [analyse_cell(plan, path) for path in paths]
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(max_workers=workers, mp_context=context) as pool:
        return list(pool.map(analyse_cell, [plan] * len(paths), paths))
