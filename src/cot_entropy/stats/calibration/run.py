"""Runs the simulations and writes their tables.

`calibration.csv`: every interval in every setting. `coverage_map.csv`: the settings in which a
reported interval misses its coverage. `power.csv`: H1's power over n, accuracy, flag rate and gap,
exact, and the other hypotheses' from the simulations. `detectable.csv`: the smallest gap that a
cell can detect with 80 % power.
"""

from __future__ import annotations

import multiprocessing
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from itertools import product
from pathlib import Path
from typing import Literal

import numpy as np
from threadpoolctl import threadpool_limits

from cot_entropy.prereg.plan import load_plan
from cot_entropy.prereg.plan_model import Estimand, Hypothesis, Plan
from cot_entropy.stats.calibration.effort import FULL, QUICK, Effort
from cot_entropy.stats.calibration.filter_studies import filter_studies
from cot_entropy.stats.calibration.power import (
    DetectableRow,
    PowerRow,
    detectable_rows,
    gap_power_rows,
    simulated_power,
)
from cot_entropy.stats.calibration.records import write_records
from cot_entropy.stats.calibration.studies import gap_studies, rank_studies
from cot_entropy.stats.calibration.tally import CalibrationRow
from cot_entropy.stats.calibration.truth import coherence_shares, violation_shares
from cot_entropy.stats.cells import derive_seed

Job = partial[Iterator[CalibrationRow]]


def calibrate(
    plan: Path,
    out: Path,
    *,
    effort: Literal["full", "quick"] = "full",
    jobs: int = 2,
) -> None:
    """Simulate every setting with the plan's rules and write the four tables into `out`.

    The full run takes at most 30 minutes on two cores. Raises PlanError.
    """
    loaded = load_plan(plan).plan
    amount = FULL if effort == "full" else QUICK
    tasks = list(enumerate(_jobs(loaded, amount)))
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(max_workers=jobs, mp_context=context) as pool:
        # the longest settings (H5) stand last: start them first
        batches = list(pool.map(_run, [loaded.seed] * len(tasks), reversed(tasks)))
    rows = [row for batch in reversed(batches) for row in batch]
    first = _hypothesis(loaded, "accuracy_gap_pp")
    write_records(out / "calibration.csv", rows, CalibrationRow)
    missed = [row for row in rows if not row.covers]
    write_records(out / "coverage_map.csv", missed, CalibrationRow)
    power = [*gap_power_rows(first, loaded, amount), *simulated_power(rows)]
    write_records(out / "power.csv", power, PowerRow)
    detectable = detectable_rows(first, loaded, amount)
    write_records(out / "detectable.csv", detectable, DetectableRow)


def _run(seed: int, task: tuple[int, Job]) -> list[CalibrationRow]:
    """One setting, with a seed of its own, so that the order of work changes nothing."""
    index, job = task
    rng = np.random.default_rng(derive_seed(seed, "calibration", str(index)))
    with threadpool_limits(limits=1):
        return list(job(rng=rng))


def _hypothesis(plan: Plan, estimand: Estimand) -> Hypothesis:
    """The first hypothesis with the estimand; a later one repeats its rule."""
    return next(one for one in plan.hypotheses if one.estimand == estimand)


def _jobs(plan: Plan, effort: Effort) -> list[Job]:
    """Every setting, in a fixed order; each wants its random generator `rng`."""
    gap = _hypothesis(plan, "accuracy_gap_pp")
    violations = _hypothesis(plan, "rho_violations")
    coherence = _hypothesis(plan, "rho_coherence")
    auroc = _hypothesis(plan, "filter_auroc")
    jobs = [
        partial(gap_studies, gap, plan, effort, n=n, accuracy=a, flag_rate=f, gap=g)
        for n, a, f, g in product(effort.sizes, effort.accuracies, effort.flag_rates, effort.gaps)
    ]
    ranks = partial(rank_studies, plan=plan, effort=effort)
    jobs += [
        partial(ranks, violations, n=n, accuracy=a, flag_rate=f, levels=violation_shares(f), rho=r)
        for n, a, f, r in product(effort.sizes, effort.accuracies, effort.flag_rates, effort.rhos)
    ]
    spread = coherence_shares()
    jobs += [
        partial(ranks, coherence, n=n, accuracy=a, flag_rate=None, levels=spread, rho=r)
        for n, a, r in product(effort.coherence_sizes, effort.accuracies, effort.coherence_rhos)
    ]
    jobs += [
        partial(filter_studies, auroc, plan, effort, n=n, wrong_rate=w, effect=e)
        for n, w, e in effort.filters
    ]
    return jobs
