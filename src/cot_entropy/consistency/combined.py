"""Ranking wrong answers by entropy, by the consistency label, and by both (E11)."""

from __future__ import annotations

from functools import partial

import numpy as np
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from cot_entropy.stats.cells import Flags, Settings, Values, derive_seed
from cot_entropy.stats.explore.bootstrap import Rows, Statistic, Weights, bootstrap
from cot_entropy.stats.explore.ranking import Ranking, auroc
from cot_entropy.stats.rows import Estimate


def combined_auroc(
    rows: Rows,
    settings: Settings,
    *,
    outcome: str,
    decided: Flags,
    inconsistent: Flags,
    folds: int,
) -> list[Estimate]:
    """AUROC for "wrong": each signal alone, both combined, and what combining adds to entropy.

    Combined: the mean within-fold AUROC of out-of-fold scores of a logistic regression on final
    entropy and label, stratified folds. The difference takes the entropy's AUROC within the same
    folds. Resamples keep the out-of-fold scores, so that the interval leaves out the variation of
    the fit.
    """
    cell = rows.cell
    entropy = cell.values("final_entropy")
    base = decided & ~np.isnan(entropy)
    wrong = ~cell.flags(outcome)
    names = ("final_entropy", "inconsistent", "combined_cv", "combined_minus_final_entropy")
    rarer = int(min((base & wrong).sum(), (base & ~wrong).sum()))
    if rarer < folds:
        reason = f"{rarer} decided chains of the rarer outcome; {folds} folds need one each"
        return [
            rows.not_assessable(f"auroc_wrong_{name}_{outcome}", reason, n=int(base.sum()))
            for name in names
        ]
    label = inconsistent.astype(np.float64)
    fold, scores = _out_of_fold(
        np.column_stack([entropy, label]),
        wrong,
        base,
        folds=folds,
        seed=derive_seed(settings.seed, cell.name, "E11") % 2**32,
    )
    groups = [base & (fold == index) for index in range(folds)]
    combined = _within(scores, wrong, groups)
    entropy_in_folds = _within(entropy, wrong, groups)

    def added(weights: Weights) -> Values:
        difference: Values = combined(weights) - entropy_in_folds(weights)
        return difference

    statistics: tuple[Statistic, ...] = (
        _within(entropy, wrong, [base]),
        _within(label, wrong, [base]),
        combined,
        added,
    )
    return [
        rows.row(
            f"auroc_wrong_{name}_{outcome}",
            bootstrap(cell, settings, statistic)[0],
            n=int(base.sum()),
            n_correct=int((base & ~wrong).sum()),
        )
        for name, statistic in zip(names, statistics, strict=True)
    ]


def _out_of_fold(
    features: Values, wrong: Flags, base: Flags, *, folds: int, seed: int
) -> tuple[NDArray[np.int64], Values]:
    """The fold of each question `(n,)`, -1 outside `base`, and its out-of-fold score."""
    rows = np.flatnonzero(base)
    fold = np.full(len(wrong), -1, dtype=np.int64)
    scores = np.full(len(wrong), np.nan)
    splitter = StratifiedKFold(folds, shuffle=True, random_state=seed)
    for index, (train, test) in enumerate(splitter.split(features[rows], wrong[rows])):
        model = make_pipeline(StandardScaler(), LogisticRegression())
        model.fit(features[rows[train]], wrong[rows[train]])
        scores[rows[test]] = model.decision_function(features[rows[test]])
        fold[rows[test]] = index
    return fold, scores


def _within(scores: Values, wrong: Flags, groups: list[Flags]) -> Statistic:
    """The mean over groups of the AUROC within each, as a statistic `(1, b)`."""
    return partial(_mean_auroc, [Ranking.of(scores, wrong, group) for group in groups])


def _mean_auroc(rankings: list[Ranking], weights: Weights) -> Values:
    each = np.stack([auroc(ranking.sums(weights)) for ranking in rankings])
    mean: Values = each.mean(axis=0, keepdims=True)
    return mean
