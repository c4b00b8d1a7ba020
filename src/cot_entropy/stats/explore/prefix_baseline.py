"""The strong baseline: what a prefix tells before any completion is sampled there.

At the last probed prefix, from the chain's own tokens alone: their number, their mean
log-probability and mean next-token entropy, and how the units' length, log-probability and entropy
change from unit to unit (least-squares slopes). A logistic regression for "right" turns these into
one score per question, cross-fitted: each question's comes from the folds without it. It costs one
chain, where H_N costs m completions more at every prefix. Ours: no paper
gives its features, slopes or penalty.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold, cross_val_predict
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from cot_entropy.stats.cells import Cell, Values

COLUMNS: Final = ("unit_tokens", "unit_mean_logprobs", "unit_token_entropies")
FOLDS: Final = 5
PENALTY: Final = 1.0
"""L2 weight on standardised coefficients, as H5's filter has it."""


def prefix_scores(cell: Cell) -> Values:
    """Cross-fitted log-odds of "right", `(n,)`; NaN where the chain has no unit.

    NaN throughout where an outcome is rarer than the folds.
    """
    features = np.array([_features(*row) for row in zip(*_columns(cell), strict=True)])
    defined = ~np.isnan(features).any(axis=1)
    right = cell.correct[defined]
    found = np.full(cell.n, np.nan)
    if min(right.sum(), (~right).sum()) < FOLDS:
        return found
    model = make_pipeline(StandardScaler(), LogisticRegression(C=1 / PENALTY, max_iter=1000))
    folds = StratifiedKFold(FOLDS, shuffle=True, random_state=0)
    found[defined] = cross_val_predict(
        model, features[defined], right, cv=folds, method="decision_function"
    )
    return found


def _columns(cell: Cell) -> list[list[Any]]:
    return [list(cell.frame[name]) for name in COLUMNS]


def _features(tokens: Any, logprobs: Any, entropies: Any) -> Values:
    """Length, means and slopes of one chain, `(6,)`; NaN without a unit of any token."""
    if any(values is None or not len(values) for values in (tokens, logprobs, entropies)):
        return np.full(6, np.nan)
    lengths = np.asarray(tokens, dtype=np.float64)
    kept = lengths > 0
    if not kept.any():
        return np.full(6, np.nan)
    units = [np.asarray(values, dtype=np.float64)[kept] for values in (logprobs, entropies)]
    lengths = lengths[kept]
    means = [float(np.average(values, weights=lengths)) for values in units]
    return np.array([lengths.sum(), *means, slope(lengths), *map(slope, units)])


def slope(values: Values) -> float:
    """Least-squares change per unit of values `(N,)` in order; 0 for a single one."""
    steps = np.arange(len(values)) - (len(values) - 1) / 2
    spread = float((steps**2).sum())
    return float(steps @ values) / spread if spread else 0.0
