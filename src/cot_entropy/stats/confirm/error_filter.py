"""H5: can wrong answers among monotone chains be learned from the trajectory?

The estimand is the mean within-fold AUROC of a penalised logistic regression for "wrong",
stratified k-fold. In every resample the folds are dealt anew over the questions drawn, so that
all copies of a question fall into one fold.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from cot_entropy.plan.model import Filter, FilterFeature
from cot_entropy.stats.cells import Cell
from cot_entropy.stats.confirm.batched_logistic import fit
from cot_entropy.stats.rank_correlation import DECIMALS

Values = NDArray[np.float64]
Flags = NDArray[np.bool_]
Folds = NDArray[np.intp]

TIE_DECIMALS: Final = 9
"""Predicted log-odds that agree to so many decimals are one score."""


@dataclass(frozen=True, eq=False)
class FilterSample:
    """The monotone chains of a cell: which question, which pattern of features, wrong or right.

    `patterns` is `(P, d)`, the distinct feature rows; the others are `(n_monotone,)`.
    """

    questions: NDArray[np.intp]
    patterns: Values
    pattern_of: NDArray[np.intp]
    wrong: Flags

    @property
    def features(self) -> Values:
        """Features per chain, `(n_monotone, d)`."""
        return self.patterns[self.pattern_of]


@dataclass(frozen=True, eq=False)
class FilterStatistics:
    """Per resample: the AUROC `(b,)` and the accuracy gained `(b, coverages)` in points.

    NaN where a fold lacks an outcome or a regression did not converge.
    """

    auroc: Values
    gained: Values


def filter_sample(cell: Cell, features: Sequence[FilterFeature]) -> FilterSample:
    """Take the monotone chains; every feature is defined for them (two or more defined H)."""
    shaped = (~np.isnan(cell.entropies)).sum(axis=1) >= 2
    questions = np.flatnonzero(cell.shape_defined & cell.monotone & shaped)
    entropies = cell.entropies[questions]
    units = cell.values("n_units")[questions]
    columns = np.column_stack([_feature(name, entropies, units) for name in features])
    patterns, pattern_of = np.unique(np.round(columns, DECIMALS), axis=0, return_inverse=True)
    return FilterSample(questions, patterns, pattern_of.reshape(-1), ~cell.correct[questions])


def _feature(name: FilterFeature, entropies: Values, units: Values) -> Values:
    """One feature `(n,)`; entropies `(n, width)` with NaN where undefined, two defined a row."""
    if name == "n_units" or not len(entropies):
        return units
    defined = ~np.isnan(entropies)
    rows = np.arange(len(entropies))
    feature: Values
    if name == "first_entropy":
        feature = entropies[rows, defined.argmax(axis=1)]
    elif name == "last_entropy":
        feature = entropies[rows, _last_defined(defined)[:, -1]]
    elif name == "mean_entropy":
        feature = np.where(defined, entropies, 0).sum(axis=1) / defined.sum(axis=1)
    else:
        before = entropies[rows[:, None], _last_defined(defined)][:, :-1]
        steps = defined[:, 1:] & ~np.isnan(before)
        feature = np.where(steps, before - entropies[:, 1:], -np.inf).max(axis=1)
    return feature


def _last_defined(defined: Flags) -> NDArray[np.intp]:
    """Index of the last defined column up to each column; 0 before the first."""
    index = np.where(defined, np.arange(defined.shape[1]), 0)
    return np.maximum.accumulate(index, axis=1)


def deal_folds(drawn: Flags, wrong: Flags, *, folds: int, rng: np.random.Generator) -> Folds:
    """Stratified folds of the questions drawn `(b, n)`: shuffled, then dealt within each outcome.

    The second outcome is dealt from where the first ended. Questions not drawn get fold 0 and
    carry no weight.
    """
    order = np.argsort(rng.random(drawn.shape, dtype=np.float32), axis=1)
    present = np.take_along_axis(drawn, order, axis=1)
    is_wrong = wrong[order] & present
    number_wrong = np.cumsum(is_wrong, axis=1)
    number_right: Folds = np.cumsum(present, axis=1) - number_wrong
    number = np.where(is_wrong, number_wrong - 1, number_wrong[:, -1:] + number_right - 1)
    dealt = np.empty_like(order)
    np.put_along_axis(dealt, order, np.where(present, number % folds, 0), axis=1)
    return dealt


def filter_statistics(
    sample: FilterSample, counts: NDArray[np.int32], dealt: Folds, model: Filter
) -> FilterStatistics:
    """Cross-validate the filter in every resample: `counts` and `dealt` are `(b, n_monotone)`."""
    blocks, size = len(counts), len(sample.patterns)
    cells = (np.arange(blocks)[:, None] * model.folds + dealt) * size + sample.pattern_of
    held_out = [
        np.bincount(
            cells[:, chosen].ravel(),
            weights=counts[:, chosen].ravel(),
            minlength=blocks * model.folds * size,
        )
        .astype(np.float64)
        .reshape(blocks, model.folds, size)
        for chosen in (~sample.wrong, sample.wrong)
    ]
    training = [part.sum(axis=1, keepdims=True) - part for part in held_out]
    flat = (blocks * model.folds, size)
    right, wrong = (part.reshape(flat) for part in held_out)
    train_right, train_wrong = (part.reshape(flat) for part in training)
    enough = np.ones(len(right), dtype=np.bool_)
    for part in (right, wrong, train_right, train_wrong):
        enough &= part.sum(axis=1) > 0
    logits = np.full(flat, np.nan)
    if enough.any():
        fits = fit(sample.patterns, train_right[enough], train_wrong[enough], penalty=model.penalty)
        logits[enough] = fits.logits(sample.patterns)
    ranked = _Ranked.of(logits, right, wrong)
    auroc = np.where(np.isnan(logits[:, 0]), np.nan, ranked.auroc())
    auroc = auroc.reshape(blocks, model.folds)
    share_right = counts @ (~sample.wrong) / counts.sum(axis=1)
    gained = np.empty((blocks, len(model.coverages)))
    for column, coverage in enumerate(model.coverages):
        kept_right = ranked.kept_right(coverage).reshape(blocks, model.folds).sum(axis=1)
        gained[:, column] = 100 * (kept_right / (coverage * counts.sum(axis=1)) - share_right)
    undefined = np.isnan(auroc).any(axis=1)
    gained[undefined] = np.nan
    return FilterStatistics(np.where(undefined, np.nan, auroc.mean(axis=1)), gained)


@dataclass(frozen=True, eq=False)
class _Ranked:
    """Patterns of each fold in order of predicted risk, tied scores pooled: all `(R, P)`.

    `right_before` and `total_before` count held-out answers with a strictly lower score,
    `right_tied` and `total_tied` those with the same.
    """

    right: Values
    wrong: Values
    right_before: Values
    right_tied: Values
    total_before: Values
    total_tied: Values

    @classmethod
    def of(cls, logits: Values, right: Values, wrong: Values) -> _Ranked:
        logits = np.round(logits, TIE_DECIMALS)
        order = np.argsort(logits, axis=1)
        scores = np.take_along_axis(logits, order, axis=1)
        right = np.take_along_axis(right, order, axis=1)
        wrong = np.take_along_axis(wrong, order, axis=1)
        size = scores.shape[1]
        index = np.broadcast_to(np.arange(size), scores.shape)
        fresh = np.ones(scores.shape, dtype=np.bool_)
        fresh[:, 1:] = scores[:, 1:] > scores[:, :-1]
        start = np.maximum.accumulate(np.where(fresh, index, 0), axis=1)
        ends = np.ones(scores.shape, dtype=np.bool_)
        ends[:, :-1] = fresh[:, 1:]
        end = np.minimum.accumulate(np.where(ends, index, size)[:, ::-1], axis=1)[:, ::-1]
        pooled = []
        for part in (right, right + wrong):
            summed = np.concatenate([np.zeros((len(part), 1)), np.cumsum(part, axis=1)], axis=1)
            before = np.take_along_axis(summed, start, axis=1)
            pooled += [before, np.take_along_axis(summed, end + 1, axis=1) - before]
        return cls(right, wrong, *pooled)

    def auroc(self) -> Values:
        """P(a wrong answer has the higher risk), ties half, `(R,)`; NaN without both outcomes."""
        pairs = self.right.sum(axis=1) * self.wrong.sum(axis=1)
        won = (self.wrong * (self.right_before + self.right_tied / 2)).sum(axis=1)
        area: Values = np.divide(won, pairs, out=np.full(len(pairs), np.nan), where=pairs > 0)
        return area

    def kept_right(self, coverage: float) -> Values:
        """Expected right answers when the least risky `coverage` of a fold is kept, `(R,)`.

        A tied score at the edge is kept in proportion: no order decides.
        """
        total = self.right.sum(axis=1, keepdims=True) + self.wrong.sum(axis=1, keepdims=True)
        room = coverage * total - self.total_before
        tied = np.where(self.total_tied > 0, self.total_tied, 1.0)
        kept: Values = (self.right * np.clip(room / tied, 0, 1)).sum(axis=1)
        return kept
