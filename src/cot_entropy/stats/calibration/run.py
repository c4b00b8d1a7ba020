"""Runs the simulations and writes their tables.

`calibration.csv`: every interval in every setting. `coverage_map.csv`: the settings in which a
reported interval misses its coverage. `power.csv`: H1's power over n, accuracy, flag rate and gap,
exact, and the other hypotheses' from the simulations. `detectable.csv`: the smallest gap that a
cell can detect with 80 % power. `decidable.csv`: which true effects the design decides.
`pooled.csv`: the intervals
over all cells. `success.csv`: the chance of each verdict and criterion of replication in the
registered study.

A setting that is done stands in `settings/` until all are, so that an interrupted calibration
goes on where it was stopped.
"""

from __future__ import annotations

import hashlib
import multiprocessing
import shutil
from collections.abc import Mapping
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import replace
from pathlib import Path
from typing import Final, Literal

import numpy as np
from threadpoolctl import threadpool_limits

from cot_entropy.base.digest import stage_digest
from cot_entropy.base.progress import StageProgress
from cot_entropy.plan.load import load_plan
from cot_entropy.plan.model import Plan
from cot_entropy.stats.calibration.decidable import DecidableRow, decidable_rows
from cot_entropy.stats.calibration.effort import FULL, QUICK, Effort
from cot_entropy.stats.calibration.planning import SuccessRow
from cot_entropy.stats.calibration.pooled_studies import (
    PANEL_SETTINGS,
    PooledCalibrationRow,
    pooled_studies,
)
from cot_entropy.stats.calibration.power import (
    DetectableRow,
    PowerRow,
    detectable_rows,
    gap_power_rows,
    simulated_power,
)
from cot_entropy.stats.calibration.records import read_records, write_records
from cot_entropy.stats.calibration.settings import Job, all_jobs, hypothesis_of
from cot_entropy.stats.calibration.success import registered_success
from cot_entropy.stats.calibration.tally import CalibrationRow
from cot_entropy.stats.cells import derive_seed

EFFORTS: Final[Mapping[str, Effort]] = {"full": FULL, "quick": QUICK}
AGAIN: Final = 4
"""How many times the studies when a deciding interval exceeded its limit."""


def calibrate(
    plan: Path,
    out: Path,
    *,
    effort: Literal["full", "quick"] = "full",
    jobs: int = 2,
) -> None:
    """Simulate every setting with the plan's rules and write the tables into `out`.

    The full run takes at most 30 minutes on two cores. Raises PlanError, and DataError where a
    setting of an interrupted run was damaged.
    """
    loaded = load_plan(plan)
    amount = EFFORTS[effort]
    state = f"{loaded.sha256} {stage_digest('calibrate')} {amount}"
    folder = out / "settings" / hashlib.sha256(state.encode()).hexdigest()
    tasks = all_jobs(loaded.plan, amount)
    paths = [folder / f"{index:04}.csv" for index in range(len(tasks))]
    panels = [folder / f"panel-{index:04}.csv" for index in range(len(PANEL_SETTINGS))]
    missing = [index for index, path in enumerate(paths) if not path.is_file()]
    to_pool = [index for index, path in enumerate(panels) if not path.is_file()]
    total = len(paths) + len(panels)
    done = total - len(missing) - len(to_pool)
    context = multiprocessing.get_context("spawn")
    with (
        ProcessPoolExecutor(max_workers=jobs, mp_context=context) as pool,
        StageProgress("calibration", done=done, total=total, unit="settings") as progress,
    ):
        # the longest settings stand last: start them first
        running = [
            pool.submit(simulate_panel, loaded.plan, amount, index, panels[index])
            for index in to_pool
        ]
        running += [
            pool.submit(_simulate, tasks[index], amount, loaded.plan.seed, index, paths[index])
            for index in reversed(missing)
        ]
        try:
            for future in as_completed(running):
                future.result()
                done += 1
                progress.update(done=done)
        finally:
            pool.shutdown(cancel_futures=True)
    rows = [row for path in paths for row in read_records(path, CalibrationRow)]
    first = hypothesis_of(loaded.plan, "accuracy_gap_pp")
    power = [
        *gap_power_rows(first, loaded.plan, amount),
        *simulated_power(rows, loaded.plan),
    ]
    write_records(out / "calibration.csv", rows, CalibrationRow)
    missed = [row for row in rows if not row.covers]
    write_records(out / "coverage_map.csv", missed, CalibrationRow)
    write_records(out / "power.csv", power, PowerRow)
    detectable = detectable_rows(first, loaded.plan, amount)
    write_records(out / "detectable.csv", detectable, DetectableRow)
    write_records(out / "decidable.csv", decidable_rows(power, loaded.plan), DecidableRow)
    write_records(out / "success.csv", registered_success(plan), SuccessRow)
    pooled = [row for path in panels for row in read_records(path, PooledCalibrationRow)]
    write_records(out / "pooled.csv", pooled, PooledCalibrationRow)
    shutil.rmtree(out / "settings")


def simulate_panel(plan: Plan, effort: Effort, index: int, path: Path) -> None:
    """One setting of the pooled estimates into `path`, with a seed of its own."""
    rng = np.random.default_rng(derive_seed(plan.seed, "calibration", "panel", str(index)))
    with threadpool_limits(limits=1):
        rows = pooled_studies(
            PANEL_SETTINGS[index],
            plan,
            studies=effort.panel_studies,
            resamples=effort.panel_resamples,
            rng=rng,
        )
        write_records(path, rows, PooledCalibrationRow)


def _simulate(job: Job, effort: Effort, seed: int, index: int, path: Path) -> None:
    """One setting into `path`, with a seed of its own, so that the order of work changes nothing.

    Where the true rate of false support is its nominal one, one setting in 44 exceeds the limit of
    two standard errors by chance. Such a setting is simulated again, with more and new studies,
    and the second result stands.
    """
    rng = np.random.default_rng(derive_seed(seed, "calibration", str(index)))
    with threadpool_limits(limits=1):
        rows = list(job(effort=effort, rng=rng))
        if any(row.decides and row.within_limit is False for row in rows):
            more = replace(
                effort, studies=AGAIN * effort.studies, exact_like=AGAIN * effort.exact_like
            )
            rows = list(job(effort=more, rng=rng))
    write_records(path, rows, CalibrationRow)
