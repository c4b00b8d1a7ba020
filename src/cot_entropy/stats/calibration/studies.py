"""Simulated studies of H1 to H4, judged as the analysis judges a cell."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from cot_entropy.plan.model import Hypothesis, MinimumSizes, Plan
from cot_entropy.stats.calibration.effort import Effort
from cot_entropy.stats.calibration.tally import (
    Brackets,
    CalibrationRow,
    Setting,
    Significance,
    bootstrap_brackets,
    tally,
)
from cot_entropy.stats.intervals import PermutationNull
from cot_entropy.stats.populations import GapTruth, rank_shares, rho_of
from cot_entropy.stats.rank_correlation import fisher_z, permuted_tables, spearman
from cot_entropy.stats.two_by_two import TwoByTwo, accuracy_gap, fisher_p, gap_interval

Values = NDArray[np.float64]
Flags = NDArray[np.bool_]


def gap_studies(
    hypothesis: Hypothesis,
    plan: Plan,
    *,
    effort: Effort,
    n: int,
    accuracy: float,
    flag_rate: float,
    gap: float,
    rng: np.random.Generator,
) -> Iterator[CalibrationRow]:
    """H1's intervals in one setting; nothing where no study would be assessable."""
    truth = GapTruth.of(accuracy=accuracy, flag_rate=flag_rate, gap=gap)
    if not truth.possible:
        return
    setting = Setting(
        estimand=hypothesis.estimand, n=n, accuracy=accuracy, flag_rate=flag_rate, truth=gap
    )
    tables = rng.multinomial(n, truth.shares(flag_rate), size=effort.exact_like).astype(float)
    groups = tables[:, :2].sum(axis=1), tables[:, 2:].sum(axis=1)
    comparable = (groups[0] > 0) & (groups[1] > 0)
    tables = tables[comparable]
    minimum = hypothesis.assessable
    assessable = _assessable(tables, minimum) & (
        np.minimum(tables[:, :2].sum(axis=1), tables[:, 2:].sum(axis=1)) >= minimum.group
    )
    if not assessable.any():
        return
    level = plan.level
    found: dict[str, Brackets] = {
        method: Brackets(*gap_interval(*tables.T, method=method, level=level))
        for method in ("newcombe", "agresti_caffo")
    }
    resampled = bootstrap_brackets(
        tables[: effort.studies],
        lambda drawn: accuracy_gap(*np.moveaxis(drawn, -1, 0)),
        levels=(level,),
        resamples=effort.resamples,
        rng=rng,
    )
    found |= {name: brackets for (name, _), brackets in resampled.items()}
    cells = len(plan.cells_of(hypothesis))
    significant = Significance.of(_fisher(tables), alpha=plan.alpha, cells=cells)
    for name, brackets in found.items():
        studies = len(brackets.low)
        yield tally(
            setting,
            hypothesis,
            interval=name,
            reported=brackets,
            deciding=brackets,
            significant=significant.first(studies),
            assessable=assessable[:studies],
        )


def rank_studies(
    hypothesis: Hypothesis,
    plan: Plan,
    *,
    effort: Effort,
    n: int,
    accuracy: float,
    flag_rate: float | None,
    levels: Values,
    rho: float,
    rng: np.random.Generator,
) -> Iterator[CalibrationRow]:
    """The intervals of a rank correlation in one setting, of a signal with shares `levels`."""
    shares = rank_shares(levels, accuracy=accuracy, rho=rho)
    if shares is None:
        return
    setting = Setting(
        estimand=hypothesis.estimand,
        n=n,
        accuracy=accuracy,
        flag_rate=flag_rate,
        truth=round(rho_of(shares), 9) + 0.0,
    )
    tables = rng.multinomial(n, shares, size=effort.studies).astype(float)
    estimates = _rho(tables)
    tables = tables[~np.isnan(estimates)]
    assessable = _assessable(tables, hypothesis.assessable)
    if not assessable.any():
        return
    wanted = tuple(dict.fromkeys((plan.level, hypothesis.levels.supported)))
    nulls = [_null(table, effort, rng) for table in tables]
    significant = Significance.of(
        np.array([_p(null, hypothesis) for null in nulls]),
        alpha=plan.alpha,
        cells=len(plan.cells_of(hypothesis)),
    )
    brackets = bootstrap_brackets(tables, _rho, levels=wanted, resamples=effort.resamples, rng=rng)
    for level in wanted:
        ends = np.array([null.interval(level=level) for null in nulls])
        brackets["permutation_t", level] = Brackets(*ends.T)
    for name in ("permutation_t", "percentile", "bca"):
        yield tally(
            setting,
            hypothesis,
            interval=name,
            reported=brackets[name, plan.level],
            deciding=brackets[name, hypothesis.levels.supported],
            significant=significant,
            assessable=assessable,
        )


def _rho(tables: Values) -> Values:
    columns = tables.shape[-1] // 2
    return spearman(tables[..., :columns], tables[..., columns:])


def _null(table: Values, effort: Effort, rng: np.random.Generator) -> PermutationNull:
    right, wrong = np.split(table, 2)
    permuted = permuted_tables(right, wrong, permutations=effort.permutations, rng=rng)
    z, error = fisher_z(right, wrong)
    return PermutationNull.of(float(z), float(error), *fisher_z(*permuted))


def _p(null: PermutationNull, hypothesis: Hypothesis) -> float:
    bounds = hypothesis.bounds
    if bounds.low is not None and bounds.high is not None:
        return null.p_two_one_sided(bounds.low, bounds.high)
    return null.p_two_sided()


def _assessable(tables: Values, minimum: MinimumSizes) -> Flags:
    """By right and wrong answers; right ones stand in the even or the first half of columns."""
    gap = tables.shape[1] == 4
    right = tables[:, ::2].sum(axis=1) if gap else tables[:, : tables.shape[1] // 2].sum(axis=1)
    total = tables.sum(axis=1)
    enough = (total >= minimum.questions) & (right >= minimum.correct)
    enough &= total - right >= minimum.wrong
    return np.asarray(enough & (np.minimum(right, total - right) >= minimum.rarer))


def _fisher(tables: Values) -> Values:
    """Fisher's two-sided p of tables `(S, 4)`, each distinct table tested once."""
    distinct, index = np.unique(tables.astype(np.int64), axis=0, return_inverse=True)
    p = np.array([fisher_p(TwoByTwo.of(counts.tolist())) for counts in distinct])
    return np.asarray(p[index.reshape(-1)])
