"""Correctness on the flag over all cells: GEE logistic regression, questions as clusters.

Cells are fixed effects. The working correlation is independence (Liang and Zeger 1986), so that the
estimate is that of an ordinary logistic regression and the sandwich alone answers for the shared
questions. statsmodels' GLM with clustered errors is that estimator, and many times faster than its
GEE class, which visits each cluster in turn. Odds ratios here are averages over questions, nearer
to 1 than those of one question.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import stats
from statsmodels.genmod.families import Binomial
from statsmodels.genmod.generalized_linear_model import GLM
from statsmodels.tools.sm_exceptions import ConvergenceWarning

from cot_entropy.stats.explore.separation import separated
from cot_entropy.stats.replication.effects import Effect
from cot_entropy.stats.replication.panel import PanelCell

Values = NDArray[np.float64]


@dataclass(frozen=True, eq=False, kw_only=True)
class PanelRows:
    """The questions with a shape of all cells, one row each: `(n,)` arrays."""

    correct: Values
    flag: Values
    cell: NDArray[np.intp]
    """Place in `names`."""
    question: NDArray[np.intp]
    length: Values
    """log of the chain's units plus one, standardised over all rows."""
    others: Values
    """Share of the other models that answered the question right; NaN without another."""
    names: tuple[str, ...]

    def design(self, columns: Sequence[Values]) -> Values:
        """Cells as fixed effects, then the columns given."""
        dummies = (self.cell[:, None] == np.arange(len(self.names))).astype(np.float64)
        return np.column_stack([dummies, *columns])


def panel_rows(cells: Sequence[PanelCell], everyone: Sequence[PanelCell]) -> PanelRows:
    """Stack `cells`; the accuracy of other models is taken over `everyone`, the cells included."""
    right: dict[tuple[str, str], list[tuple[str, bool]]] = {}
    for cell in everyone:
        for question, correct in zip(cell.question_ids, cell.correct, strict=True):
            right.setdefault((cell.dataset, question), []).append((cell.model, bool(correct)))
    places: dict[tuple[str, str], int] = {}
    parts: list[tuple[float, float, int, int, float, float]] = []
    for index, cell in enumerate(cells):
        for row in np.flatnonzero(cell.shape_defined):
            key = cell.dataset, cell.question_ids[row]
            others = [correct for model, correct in right[key] if model != cell.model]
            parts.append(
                (
                    float(cell.correct[row]),
                    float(cell.monotone[row]),
                    index,
                    places.setdefault(key, len(places)),
                    float(np.log1p(cell.chain_units[row])),
                    float(np.mean(others)) if others else float("nan"),
                )
            )
    table = np.array(parts, dtype=np.float64).reshape(-1, 6)
    length = table[:, 4]
    spread = float(length.std()) if len(length) else 0.0
    return PanelRows(
        correct=table[:, 0],
        flag=table[:, 1],
        cell=table[:, 2].astype(np.intp),
        question=table[:, 3].astype(np.intp),
        length=(length - length.mean()) / spread if spread > 0 else np.zeros(len(length)),
        others=table[:, 5],
        names=tuple(cell.name for cell in cells),
    )


@dataclass(frozen=True, eq=False)
class Fitted:
    """Coefficients `(p,)` of a design's last p columns and their robust covariance `(p, p)`."""

    coefficients: Values
    covariance: Values

    def effect(self, index: int) -> Effect:
        """One coefficient, a difference of log odds."""
        return Effect(
            estimate=float(self.coefficients[index]),
            error=float(np.sqrt(self.covariance[index, index])),
        )

    def wald_p(self, indices: Sequence[int]) -> float:
        """p that all of these coefficients are 0."""
        chosen = np.array(indices)
        part = self.coefficients[chosen]
        weights = np.linalg.inv(self.covariance[np.ix_(chosen, chosen)])
        return float(stats.chi2.sf(part @ weights @ part, len(chosen)))


def fit_clustered(rows: PanelRows, columns: Sequence[Values], *, kept: Values) -> Fitted | str:
    """Fit the rows `kept` `(n,)`; the coefficients of `columns`, or why there are none."""
    design = rows.design(columns)[kept > 0]
    used = (design != 0).any(axis=0)
    used[-len(columns) :] = True
    design = design[:, used]
    outcome = rows.correct[kept > 0]
    p = len(columns)
    if len(outcome) == 0 or np.linalg.matrix_rank(design) < design.shape[1]:
        return "the flag and the cells are collinear, or no question is left"
    if separated(design, outcome > 0):
        return "separation: no finite odds ratio exists"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        found = GLM(outcome, design, family=Binomial()).fit(
            cov_type="cluster",
            cov_kwds={"groups": rows.question[kept > 0], "use_correction": False},
        )
    if not found.converged:
        return "the regression did not converge"
    return Fitted(np.asarray(found.params)[-p:], np.asarray(found.cov_params())[-p:, -p:])
