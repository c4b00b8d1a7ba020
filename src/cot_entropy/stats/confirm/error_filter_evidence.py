"""H5: how well wrong answers among monotone chains can be told from the trajectory."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from cot_entropy.plan.model import Bounds, Filter, Interval, PValue
from cot_entropy.stats import intervals
from cot_entropy.stats.cells import Cell, derive_seed
from cot_entropy.stats.confirm.error_filter import (
    TIE_DECIMALS,
    FilterSample,
    deal_folds,
    filter_sample,
    filter_statistics,
)
from cot_entropy.stats.confirm.evidence import Detail, Sizes
from cot_entropy.stats.intervals import Bracket

Values = NDArray[np.float64]

WORKING_SET: Final = 32_768
"""Fold-by-pattern entries handled at once: small enough for a core's cache."""
AUROC_RANGE: Final = (0.0, 1.0)


@dataclass(frozen=True, eq=False)
class FilterSampleOfCell:
    """A cell's monotone chains and the registered model."""

    cell: Cell
    model: Filter
    seed: int

    @cached_property
    def chains(self) -> FilterSample:
        """The monotone chains with their features."""
        return filter_sample(self.cell, self.model.features)

    @cached_property
    def _rng(self) -> np.random.Generator:
        return np.random.default_rng(derive_seed(self.seed, self.cell.name, "folds"))

    @property
    def feasible(self) -> bool:
        """Whether every fold can hold both outcomes."""
        wrong = int(self.chains.wrong.sum())
        return min(wrong, len(self.chains.wrong) - wrong) >= self.model.folds

    def statistic(self, counts: NDArray[np.int32]) -> Values:
        """AUROC and accuracy gained at each coverage, `(b, 1 + coverages)`, folds dealt anew.

        Stateful: the folds' random generator runs on from block to block.
        """
        chains = self.chains
        drawn = counts[:, chains.questions]
        result = np.full((len(counts), 1 + len(self.model.coverages)), np.nan)
        if not self.feasible:
            return result
        rows = max(1, WORKING_SET // (self.model.folds * len(chains.patterns)))
        for start in range(0, len(counts), rows):
            part = drawn[start : start + rows]
            folds = deal_folds(part > 0, chains.wrong, folds=self.model.folds, rng=self._rng)
            statistics = filter_statistics(chains, part, folds, self.model)
            result[start : start + rows, 0] = statistics.auroc
            result[start : start + rows, 1:] = statistics.gained
        return result

    def evidence(self, draws: Values) -> FilterEvidence:
        """Judge the filter on the draws `(B, 1 + coverages)`."""
        return FilterEvidence(self, draws)


@dataclass(frozen=True, eq=False)
class FilterEvidence:
    """The mean within-fold AUROC with its intervals; coefficients and accuracy gained beside it."""

    sample: FilterSampleOfCell
    draws: Values

    @property
    def sizes(self) -> Sizes:
        """Monotone chains."""
        wrong = self.sample.chains.wrong
        return Sizes(questions=len(wrong), correct=int((~wrong).sum()))

    @cached_property
    def folds(self) -> NDArray[np.intp]:
        """The fold of each monotone chain, by scikit-learn's StratifiedKFold, seeded."""
        sample = self.sample
        seed = derive_seed(sample.seed, sample.cell.name, "point folds") % 2**32
        splitter = StratifiedKFold(sample.model.folds, shuffle=True, random_state=seed)
        folds = np.zeros(len(sample.chains.wrong), dtype=np.intp)
        splits = splitter.split(sample.chains.features, sample.chains.wrong)
        for fold, (_, held_out) in enumerate(splits):
            folds[held_out] = fold
        return folds

    @cached_property
    def estimate(self) -> float | None:
        """Mean within-fold AUROC by scikit-learn; None with fewer of an outcome than folds."""
        if not self.sample.feasible:
            return None
        features, wrong = self.sample.chains.features, self.sample.chains.wrong
        scores = []
        for fold in range(self.sample.model.folds):
            held_out = self.folds == fold
            model = self._model().fit(features[~held_out], wrong[~held_out])
            risk = np.round(model.decision_function(features[held_out]), TIE_DECIMALS)
            scores.append(roc_auc_score(wrong[held_out], risk))
        return float(np.mean(scores))

    def _model(self) -> Any:
        return make_pipeline(
            StandardScaler(),
            LogisticRegression(
                C=1 / self.sample.model.penalty, solver="newton-cholesky", tol=1e-10
            ),
        )

    @property
    def dropped(self) -> int:
        """Resamples in which a fold lacked an outcome or a regression did not converge."""
        return intervals.undefined_draws(self.draws[:, 0])

    def interval(self, name: Interval, *, level: float) -> Bracket | None:
        """None where the AUROC is undefined."""
        if self.estimate is None:
            return None
        if name == "normal_clipped":
            draws = self.draws[:, 0]
            return intervals.normal_clipped(self.estimate, draws, level=level, within=AUROC_RANGE)
        if name == "percentile":
            return intervals.percentile(self.draws[:, 0], level=level)
        raise NotImplementedError(f"{name} for the filter's AUROC")

    def p_value(self, name: PValue, bounds: Bounds) -> float | None:
        """Two-sided p of AUROC = threshold, from the bootstrap standard error or its draws."""
        if self.estimate is None or bounds.threshold is None:
            return None
        if name == "bootstrap_z":
            return intervals.normal_p(self.estimate, self.draws[:, 0], bounds.threshold)
        if name == "bootstrap":
            return intervals.bootstrap_p(self.draws[:, 0], bounds.threshold)
        raise NotImplementedError(f"{name} for the filter's AUROC")

    def details(self, *, level: float) -> Iterator[Detail]:
        """Accuracy gained at each coverage, and the coefficients of the fit to all chains."""
        coverages = self.sample.model.coverages
        names = [f"accuracy_gained_pp_at_coverage_{coverage:g}" for coverage in coverages]
        coefficients = ["intercept", *self.sample.model.features]
        if self.estimate is None:
            reason = f"fewer than {self.sample.model.folds} monotone chains of an outcome"
            for name in [*names, *(f"coefficient_{name}" for name in coefficients)]:
                yield Detail(quantity=name, n=self.sizes.questions, reason=reason)
            return
        chains = self.sample.chains
        whole = np.ones((1, len(chains.wrong)), dtype=np.int32)
        point = filter_statistics(chains, whole, self.folds[None], self.sample.model)
        for index, name in enumerate(names):
            bracket = intervals.percentile(self.draws[:, 1 + index], level=level)
            yield Detail(
                quantity=name,
                estimate=float(point.gained[0, index]),
                low=bracket.low if bracket else None,
                high=bracket.high if bracket else None,
                n=self.sizes.questions,
            )
        model = self._model().fit(chains.features, chains.wrong)[-1]
        for name, value in zip(coefficients, [*model.intercept_, *model.coef_[0]], strict=True):
            yield Detail(
                quantity=f"coefficient_{name}",
                estimate=float(value),
                n=self.sizes.questions,
                reason="log-odds of wrong per standard deviation" if name != "intercept" else "",
            )
