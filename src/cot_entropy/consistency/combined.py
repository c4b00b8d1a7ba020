"""AUROC of the entropy signal, the consistency label and both combined, for wrong answers (E11)."""

from __future__ import annotations

from functools import partial

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from cot_entropy.consistency.intervals import (
    Flags,
    MakeRow,
    Resampling,
    Statistic,
    Values,
    interval,
)
from cot_entropy.stats.resampling import Counts
from cot_entropy.stats.rows import Estimate


def combined_auroc(
    make: MakeRow, outcome: str, frame: pd.DataFrame, resampling: Resampling, folds: int
) -> list[Estimate]:
    """AUROC for a wrong answer: each signal alone, and both in a cross-validated regression."""
    frame = frame.loc[frame["final_entropy"].notna()]
    wrong = ~frame[outcome].to_numpy(dtype=np.bool_)
    entropy = frame["final_entropy"].to_numpy(dtype=np.float64)
    reading = frame["inconsistent"].to_numpy(dtype=np.float64)
    names = ("final_entropy", "inconsistent", "combined_cv", "combined_minus_final_entropy")
    rarer = int(min(wrong.sum(), (~wrong).sum()))
    if rarer < folds:
        reason = f"{rarer} answers of the rarer outcome; {folds} folds need as many"
        return [make(f"auroc_{name}_{outcome}", n=len(wrong), reason=reason) for name in names]
    fold = np.empty(len(wrong), dtype=np.int64)
    scores = np.empty(len(wrong))
    features = np.column_stack([entropy, reading])
    splitter = StratifiedKFold(folds, shuffle=True, random_state=resampling.seed % 2**32)
    for index, (train, test) in enumerate(splitter.split(features, wrong)):
        model = make_pipeline(StandardScaler(), LogisticRegression())
        scores[test] = model.fit(features[train], wrong[train]).decision_function(features[test])
        fold[test] = index

    whole = np.zeros(len(wrong), dtype=np.int64)
    series: dict[str, Statistic] = {
        "final_entropy": partial(_mean_auroc, entropy, wrong, whole),
        "inconsistent": partial(_mean_auroc, reading, wrong, whole),
        "combined_cv": partial(_mean_auroc, scores, wrong, fold),
    }

    def difference(counts: Counts) -> Values:
        both: Values = _mean_auroc(scores, wrong, fold, counts)
        return both - _mean_auroc(entropy, wrong, fold, counts)

    series["combined_minus_final_entropy"] = difference
    rows = []
    ones = np.ones((1, len(wrong)), dtype=np.int32)
    for name, statistic in series.items():
        low, high = interval(statistic, len(wrong), resampling)
        rows.append(
            make(
                f"auroc_{name}_{outcome}",
                estimate=float(statistic(ones)[0]),
                ci_low=low,
                ci_high=high,
                n=len(wrong),
                n_correct=int((~wrong).sum()),
            )
        )
    return rows


def weighted_auroc(scores: Values, positive: Flags, counts: Counts) -> Values:
    """AUROC `(b,)` for each row of counts `(b, n)`: P(positive scores higher) + P(tie) / 2.

    NaN in a resample without positives or without negatives.
    """
    order = np.argsort(scores, kind="stable")
    ranked = scores[order]
    starts = np.flatnonzero(np.r_[True, ranked[1:] != ranked[:-1]])
    weights = counts[:, order].astype(np.float64)
    up = np.add.reduceat(weights * positive[order], starts, axis=1)
    down = np.add.reduceat(weights * ~positive[order], starts, axis=1)
    below = np.cumsum(down, axis=1) - down
    pairs = up.sum(axis=1) * down.sum(axis=1)
    with np.errstate(invalid="ignore", divide="ignore"):
        area: Values = (up * (below + down / 2)).sum(axis=1) / pairs
    return area


def _mean_auroc(scores: Values, wrong: Flags, fold: NDArray[np.int64], counts: Counts) -> Values:
    """The mean over folds of the AUROC within each, `(b,)` for counts `(b, n)`."""
    each = [
        weighted_auroc(scores[fold == f], wrong[fold == f], counts[:, fold == f])
        for f in np.unique(fold)
    ]
    mean: Values = np.mean(each, axis=0)
    return mean
