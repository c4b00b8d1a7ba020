"""E11: the consistency label beside the entropy signal, on the same chains (exploratory).

Chains that the judge calls consistent or inconsistent are compared; the others are counted. The
label is about the chain's own answer, so both outcomes are given: `correct` (majority of the
completions at the last prefix) and `chain_correct` (the chain's own answer).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from scipy.stats import fisher_exact, spearmanr
from sklearn.metrics import cohen_kappa_score

from cot_entropy.consistency.combined import combined_auroc
from cot_entropy.consistency.intervals import Flags, MakeRow, Resampling, Values, interval
from cot_entropy.consistency.judgement import Judgement
from cot_entropy.consistency.rates import wilson
from cot_entropy.stats.resampling import Counts
from cot_entropy.stats.rows import Estimate

ID = "E11"
OUTCOMES = ("correct", "chain_correct")
FOLDS = 5


def consistency_estimates(
    cell: str,
    trajectories: pd.DataFrame,
    judgements: Sequence[Judgement],
    *,
    resampling: Resampling,
    folds: int = FOLDS,
) -> list[Estimate]:
    """All E11 rows of one cell.

    `trajectories` is a frame of the trajectory contract; judgements are joined by question id.
    Intervals are percentile bootstrap over the joined questions, with the classifier's
    out-of-fold scores held fixed.
    """
    frame, counted = _join(trajectories, {judgement.id: judgement for judgement in judgements})

    def make(quantity: str, **values: Any) -> Estimate:
        return Estimate(id=ID, cell=cell, quantity=quantity, kind="exploratory", **values)

    rows = [
        make(f"n_{name}", estimate=float(count), n=counted["all"])
        for name, count in counted.items()
    ]
    if frame.empty:
        rows.append(make("accuracy_gap_pp_correct", n=0, reason="no chain was decided"))
        return rows
    inconsistent = frame["inconsistent"].to_numpy(dtype=np.bool_)
    for outcome in OUTCOMES:
        right = frame[outcome].to_numpy(dtype=np.bool_)
        rows.extend(_accuracy(make, outcome, inconsistent, right, resampling))
    rows.extend(_against_shape(make, frame, inconsistent))
    rows.extend(_correlations(make, frame, inconsistent))
    for outcome in OUTCOMES:
        rows.extend(_quadrants(make, outcome, frame))
        rows.extend(combined_auroc(make, outcome, frame, resampling, folds))
    return rows


def _join(
    trajectories: pd.DataFrame, judgements: Mapping[str, Judgement]
) -> tuple[pd.DataFrame, dict[str, int]]:
    outcome = trajectories["question_id"].map(
        lambda question: judgements[question].outcome if question in judgements else "not_scanned"
    )
    counted = {"all": len(trajectories)}
    for name in ("consistent", "inconsistent", "not_applicable", "judge_error", "not_scanned"):
        counted[name] = int((outcome == name).sum())
    decided = outcome.isin(["consistent", "inconsistent"])
    frame = trajectories.loc[decided].assign(inconsistent=(outcome[decided] == "inconsistent"))
    return frame.reset_index(drop=True), counted


def _accuracy(
    make: MakeRow, outcome: str, inconsistent: Flags, right: Flags, resampling: Resampling
) -> list[Estimate]:
    rows = [
        _share(make, f"accuracy_{name}_{outcome}", right[group])
        for name, group in (("consistent", ~inconsistent), ("inconsistent", inconsistent))
    ]
    gap = f"accuracy_gap_pp_{outcome}"
    if inconsistent.all() or not inconsistent.any():
        return [*rows, make(gap, n=len(right), reason="all chains have the same label")]

    def statistic(counts: Counts) -> Values:
        # a resample without one of the groups has no gap
        with np.errstate(invalid="ignore", divide="ignore"):
            kept = (counts @ (right & ~inconsistent)) / (counts @ ~inconsistent)
            flagged = (counts @ (right & inconsistent)) / (counts @ inconsistent)
        result: Values = 100 * (kept - flagged)
        return result

    low, high = interval(statistic, len(right), resampling)
    table = [
        [int(np.sum(right & group)), int(np.sum(~right & group))]
        for group in (~inconsistent, inconsistent)
    ]
    rows.append(
        make(
            gap,
            estimate=float(100 * (right[~inconsistent].mean() - right[inconsistent].mean())),
            ci_low=low,
            ci_high=high,
            p_value=float(fisher_exact(np.array(table)).pvalue),
            n=len(right),
            n_correct=int(right.sum()),
        )
    )
    return rows


def _against_shape(make: MakeRow, frame: pd.DataFrame, inconsistent: Flags) -> list[Estimate]:
    defined = frame["monotone"].notna().to_numpy(dtype=np.bool_)
    flagged = ~frame["monotone"].to_numpy(dtype=np.bool_, na_value=True) & defined
    monotone = defined & ~flagged
    rows = [
        _share(make, "inconsistent_rate_monotone", inconsistent[monotone]),
        _share(make, "inconsistent_rate_non_monotone", inconsistent[flagged]),
    ]
    left, right = inconsistent[defined], flagged[defined]
    if len({*left}) < 2 or len({*right}) < 2:
        return [*rows, make("kappa_flags", n=int(defined.sum()), reason="one flag never varies")]
    table = [[int(np.sum((left == a) & (right == b))) for b in (0, 1)] for a in (0, 1)]
    rows.append(
        make(
            "kappa_flags",
            estimate=float(cohen_kappa_score(left, right)),
            p_value=float(fisher_exact(np.array(table)).pvalue),
            n=int(defined.sum()),
        )
    )
    return rows


def _correlations(make: MakeRow, frame: pd.DataFrame, inconsistent: Flags) -> list[Estimate]:
    rows = []
    for column in ("violations", "final_entropy"):
        values = frame[column].to_numpy(dtype=np.float64, na_value=np.nan)
        defined = ~np.isnan(values)
        name = f"spearman_inconsistent_{column}"
        if len({*values[defined]}) < 2 or len({*inconsistent[defined]}) < 2:
            rows.append(make(name, n=int(defined.sum()), reason="one side never varies"))
            continue
        found = spearmanr(inconsistent[defined], values[defined])
        rows.append(
            make(
                name,
                estimate=float(found.statistic),
                p_value=float(found.pvalue),
                n=int(defined.sum()),
            )
        )
    return rows


def _quadrants(make: MakeRow, outcome: str, frame: pd.DataFrame) -> list[Estimate]:
    """Accuracy where both signals, one of them, or neither flags the chain."""
    defined = frame.loc[frame["monotone"].notna()]
    entropy = ~defined["monotone"].to_numpy(dtype=np.bool_)
    reading = defined["inconsistent"].to_numpy(dtype=np.bool_)
    right = defined[outcome].to_numpy(dtype=np.bool_)
    groups = {
        "both": entropy & reading,
        "shape_only": entropy & ~reading,
        "consistency_only": ~entropy & reading,
        "neither": ~entropy & ~reading,
    }
    return [
        _share(make, f"accuracy_flagged_{name}_{outcome}", right[group])
        for name, group in groups.items()
    ]


def _share(make: MakeRow, quantity: str, right: Flags) -> Estimate:
    n = len(right)
    if n == 0:
        return make(quantity, n=0, reason="no such chain")
    low, high = wilson(int(right.sum()), n)
    return make(quantity, estimate=float(right.mean()), ci_low=low, ci_high=high, n=n)
