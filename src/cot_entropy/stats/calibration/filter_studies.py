"""Simulated studies of H5, each resampled and cross-validated as the analysis does it."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from cot_entropy.plan.model import Filter, Hypothesis, Plan
from cot_entropy.stats import intervals
from cot_entropy.stats.calibration.effort import Effort
from cot_entropy.stats.calibration.tally import (
    Brackets,
    CalibrationRow,
    Setting,
    Significance,
    tally,
)
from cot_entropy.stats.confirm.error_filter import FilterSample, deal_folds, filter_statistics
from cot_entropy.stats.confirm.error_filter_evidence import AUROC_RANGE, WORKING_SET
from cot_entropy.stats.confirm.evidence import Sizes
from cot_entropy.stats.populations import filter_study
from cot_entropy.stats.resampling import resample_counts

Values = NDArray[np.float64]


def filter_studies(
    hypothesis: Hypothesis,
    plan: Plan,
    *,
    effort: Effort,
    n: int,
    wrong_rate: float,
    effect: float,
    rng: np.random.Generator,
) -> Iterator[CalibrationRow]:
    """H5's intervals in one setting. Where there is an effect, truth is the studies' mean."""
    model = hypothesis.filter
    if model is None:
        return
    studies = [
        filter_study(n, wrong_rate=wrong_rate, effect=effect, rng=rng)
        for _ in range(effort.studies)
    ]
    sizes = [Sizes(questions=n, correct=n - int(study.wrong.sum())) for study in studies]
    judged = [_aurocs(study, model, effort.filter_resamples, rng) for study in studies]
    estimated = np.array([estimate for estimate, _ in judged])
    draws = [drawn for _, drawn in judged]
    assessable = np.array([not one.shortfall(hypothesis.assessable) for one in sizes])
    if not assessable.any():
        return
    truth = 0.5 if effect == 0 else float(np.mean(estimated[assessable]))
    setting = Setting(
        estimand=hypothesis.estimand, n=n, accuracy=1 - wrong_rate, flag_rate=None, truth=truth
    )
    threshold = hypothesis.bounds.threshold or 0.0
    p_values = [
        intervals.normal_p(estimate, drawn, threshold)
        if hypothesis.p_value == "bootstrap_z"
        else intervals.bootstrap_p(drawn, threshold)
        for estimate, drawn in zip(estimated, draws, strict=True)
    ]
    significant = Significance.of(
        np.array([np.nan if p is None else p for p in p_values]),
        alpha=plan.alpha,
        cells=len(plan.cells_of(hypothesis)),
    )
    for name in ("normal_clipped", "percentile"):
        ends = np.full((len(draws), 2), np.nan)
        for index, (estimate, drawn) in enumerate(zip(estimated, draws, strict=True)):
            bracket = (
                intervals.normal_clipped(estimate, drawn, level=plan.level, within=AUROC_RANGE)
                if name == "normal_clipped"
                else intervals.percentile(drawn, level=plan.level)
            )
            if bracket:
                ends[index] = bracket
        yield tally(
            setting,
            hypothesis,
            interval=name,
            reported=Brackets(*ends.T),
            deciding=Brackets(*ends.T),
            significant=significant,
            assessable=assessable,
        )


def _aurocs(
    study: FilterSample, model: Filter, resamples: int, rng: np.random.Generator
) -> tuple[float, Values]:
    """The study's AUROC and its draws `(resamples,)`; NaN with fewer of an outcome than folds."""
    n, wrong = len(study.wrong), int(study.wrong.sum())
    if min(wrong, n - wrong) < model.folds:
        return np.nan, np.full(resamples, np.nan)
    rows = max(1, WORKING_SET // (model.folds * len(study.patterns)))
    seed = int(rng.integers(2**31))
    blocks = [np.ones((1, n), dtype=np.int32)]
    blocks += resample_counts(n, resamples=resamples, seed=seed, block=rows)
    folds = (deal_folds(c > 0, study.wrong, folds=model.folds, rng=rng) for c in blocks)
    aurocs = [
        filter_statistics(study, counts, dealt, model).auroc
        for counts, dealt in zip(blocks, folds, strict=True)
    ]
    return float(aurocs[0][0]), np.concatenate(aurocs[1:])
