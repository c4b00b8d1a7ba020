"""E6: is the shape flag only a sign of length? Within strata, and adjusted for it.

Strata hold equal numbers of questions as far as ties allow and are cut once, on the cell. The
regression is logit(correct) on the flag and the covariates, maximum likelihood by statsmodels,
with Wald intervals; where the data separate, no coefficient exists and none is printed.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator

import numpy as np
from statsmodels.discrete.discrete_model import Logit
from statsmodels.tools.sm_exceptions import ConvergenceWarning

from cot_entropy.plan.entries.length_adjusted import Covariate, LengthAdjusted
from cot_entropy.stats.cells import Cell, Flags, Settings, Values
from cot_entropy.stats.explore.bootstrap import Bootstrapped, Rows
from cot_entropy.stats.explore.separation import separated
from cot_entropy.stats.explore.shape_tables import ShapeTables, gap_rows
from cot_entropy.stats.rows import Estimate


def estimate(cell: Cell, entry: LengthAdjusted, settings: Settings) -> list[Estimate]:
    """Gap and AUROC of the flag in each stratum, then its odds ratio alone and adjusted."""
    rows = Rows(entry=entry, cell=cell)
    strata = dict(_strata(cell, entry))
    tables = ShapeTables.of([cell] * len(strata), list(strata.values()))
    unadjusted = _odds_ratio(rows, settings, "odds_ratio[shape_flag]", ())
    adjusted = _odds_ratio(
        rows, settings, "adjusted_odds_ratio[shape_flag]", tuple(entry.params.covariates)
    )
    return [*gap_rows(rows, settings, list(strata), tables), unadjusted, adjusted]


def _strata(cell: Cell, entry: LengthAdjusted) -> Iterator[tuple[str, Flags]]:
    for column in entry.params.stratify_by:
        values = cell.values(column)
        shares = np.arange(1, entry.params.strata) / entry.params.strata
        edges = np.unique(np.quantile(values, shares, method="inverted_cdf"))
        stratum = np.searchsorted(edges, values, side="left")
        for number in np.unique(stratum):
            chosen = stratum == number
            low, high = values[chosen].min(), values[chosen].max()
            yield f"{column} {low:.0f}..{high:.0f}", chosen
    if "chain_truncated" in entry.params.covariates:
        truncated = cell.flags("chain_truncated")
        yield "not truncated", ~truncated
        yield "truncated", truncated


def _odds_ratio(
    rows: Rows, settings: Settings, quantity: str, covariates: tuple[Covariate, ...]
) -> Estimate:
    cell = rows.cell
    included = cell.shape_defined
    n = int(included.sum())
    outcome, flag = cell.correct[included], cell.monotone[included]
    if n == 0 or outcome.all() or not outcome.any():
        return rows.not_assessable(quantity, "one outcome class", n=n)
    if flag.all() or not flag.any():
        return rows.not_assessable(quantity, "all chains have the same flag", n=n)
    design, used = _design(cell, included, covariates)
    dropped = [name for name in covariates if name not in used]
    if separated(design, outcome):
        reason = (
            "separation: the flag and covariates split right from wrong answers, "
            "so no finite odds ratio exists"
        )
        return rows.not_assessable(quantity, reason, n=n)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        fitted = Logit(outcome.astype(np.float64), design).fit(disp=0, maxiter=200)
    if not fitted.mle_retvals["converged"]:
        return rows.not_assessable(quantity, "the regression did not converge", n=n)
    low, high = np.exp(fitted.conf_int(alpha=1 - settings.level)[1])
    notes = [f"logistic regression, Wald {settings.level:.0%} interval"]
    notes += [f"adjusted for {', '.join(used)}"] if used else []
    notes += [f"left out as constant or collinear: {', '.join(dropped)}"] if dropped else []
    found = Bootstrapped(estimate=float(np.exp(fitted.params[1])), low=float(low), high=float(high))
    return rows.row(
        quantity,
        found,
        n=n,
        n_monotone=int(flag.sum()),
        n_correct=int(outcome.sum()),
        p_value=float(fitted.pvalues[1]),
        reason="; ".join(notes),
    )


def _design(
    cell: Cell, included: Flags, covariates: tuple[Covariate, ...]
) -> tuple[Values, list[Covariate]]:
    """Constant, flag, and the standardised covariates that keep the design of full rank."""
    columns = [np.ones(int(included.sum())), cell.monotone[included].astype(np.float64)]
    used: list[Covariate] = []
    for name in covariates:
        values = cell.values(name)[included]
        if np.ptp(values) == 0:
            continue
        candidate = [*columns, (values - values.mean()) / values.std()]
        if np.linalg.matrix_rank(np.array(candidate)) == len(candidate):
            columns, used = candidate, [*used, name]
    return np.column_stack(columns), used
