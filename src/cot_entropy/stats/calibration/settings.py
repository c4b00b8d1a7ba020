"""Every simulated setting as a job, in a fixed order."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from itertools import product
from typing import Protocol

import numpy as np

from cot_entropy.plan.model import Estimand, Hypothesis, Plan
from cot_entropy.stats.calibration.effort import Effort
from cot_entropy.stats.calibration.filter_studies import filter_studies
from cot_entropy.stats.calibration.studies import gap_studies, rank_studies
from cot_entropy.stats.calibration.tally import CalibrationRow
from cot_entropy.stats.populations import coherence_shares, violation_shares


class Job(Protocol):
    """One setting: its intervals, judged on as many studies as the effort says."""

    def __call__(self, *, effort: Effort, rng: np.random.Generator) -> Iterator[CalibrationRow]:
        """Simulate."""


def hypothesis_of(plan: Plan, estimand: Estimand) -> Hypothesis:
    """The first hypothesis with the estimand; a later one repeats its rule."""
    return next(one for one in plan.hypotheses if one.estimand == estimand)


def all_jobs(plan: Plan, effort: Effort) -> list[Job]:
    """Every setting of the effort's grid, the longest (H5's) last."""
    gap = hypothesis_of(plan, "accuracy_gap_pp")
    violations = hypothesis_of(plan, "rho_violations")
    coherence = hypothesis_of(plan, "rho_coherence")
    auroc = hypothesis_of(plan, "filter_auroc")
    jobs: list[Job] = [
        partial(gap_studies, gap, plan, n=n, accuracy=a, flag_rate=f, gap=g)
        for n, a, f, g in product(effort.sizes, effort.accuracies, effort.flag_rates, effort.gaps)
    ]
    ranks = partial(rank_studies, plan=plan)
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
        partial(filter_studies, auroc, plan, n=n, wrong_rate=w, effect=e)
        for n, w, e in effort.filters
    ]
    return jobs
