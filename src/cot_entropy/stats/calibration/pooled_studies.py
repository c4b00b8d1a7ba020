"""Simulated panels with known truth: do E15's intervals hold it?

Three models are asked the questions of two datasets of the registered sizes, at the accuracies and
flag rates that Z26 prints. A question is easy or hard for all models alike, and its chains are
monotone alike, by a normal copula of correlation `shared`: each cell keeps its own probabilities,
so that every truth is known.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

import numpy as np
from numpy.typing import NDArray
from scipy import special, stats
from statsmodels.genmod.families import Binomial
from statsmodels.genmod.generalized_linear_model import GLM
from statsmodels.tools.sm_exceptions import PerfectSeparationWarning

from cot_entropy.plan.entries.pooled import PooledParams
from cot_entropy.plan.model import Hypothesis, Plan
from cot_entropy.stats.populations import rho_of, violation_shares
from cot_entropy.stats.replication.panel import CellDraws, PanelCell, draw_panel
from cot_entropy.stats.replication.pooled import Pooled
from cot_entropy.stats.replication.stratified import pooled_gap, pooled_log_odds

Values = NDArray[np.float64]

MODELS: Final = ("first", "second", "third")


@dataclass(frozen=True, kw_only=True)
class Dataset:
    """A dataset's size, the accuracy of non-monotone chains, and the flag rate."""

    name: str
    questions: int
    other: float
    flag_rate: float


DATASETS: Final = (
    Dataset(name="gsm8k", questions=1319, other=0.817, flag_rate=0.681),
    Dataset(name="math500", questions=500, other=0.304, flag_rate=0.27),
)


@dataclass(frozen=True, kw_only=True)
class PanelSetting:
    """The mean log odds ratio of the flag, its spread over models, and what questions share."""

    log_odds: float
    spread: float
    shared: float


PANEL_SETTINGS: Final = (
    PanelSetting(log_odds=0.0, spread=0.0, shared=0.0),
    PanelSetting(log_odds=0.0, spread=0.0, shared=0.6),
    PanelSetting(log_odds=0.0, spread=0.3, shared=0.6),
    PanelSetting(log_odds=1.2, spread=0.0, shared=0.6),
    PanelSetting(log_odds=1.2, spread=0.3, shared=0.6),
)
"""No effect and about Z26's, equal and unequal models; questions alone, and shared by models."""


@dataclass(frozen=True, kw_only=True)
class PooledCalibrationRow:
    """One pooled interval in one setting: how often it held the truth.

    The pooled effects are about the models asked, so that their truth is that of the simulated
    cells; the mean of the models and the prediction are about further models.
    """

    measure: str
    """The pooled number."""
    log_odds: float
    """Mean log odds ratio of the flag."""
    spread: float
    """Its standard deviation over models."""
    shared: float
    """Correlation of a question's answers, and of its shapes, between models."""
    studies: int
    """Simulated studies with the number defined."""
    coverage: float
    """Share of intervals that hold the truth."""
    missed_below: float
    """Share of intervals below the truth."""
    missed_above: float
    """Share of intervals above it."""
    supports: float
    """Share of intervals on the claim's side of no effect."""
    false_support_limit: float | None = None
    """2.5 % plus two Monte Carlo errors, where there is no effect in any cell."""
    within_limit: bool | None = None
    """Whether `supports` is within it."""
    covers: bool
    """Coverage is at least 95 % less two Monte Carlo errors."""


def pooled_studies(
    setting: PanelSetting, plan: Plan, *, studies: int, resamples: int, rng: np.random.Generator
) -> Iterator[PooledCalibrationRow]:
    """Every pooled interval in one setting."""
    found: dict[str, list[tuple[float, float, float]]] = {}
    for _ in range(studies):
        for measure, *ends in _study(setting, plan, resamples, rng):
            found.setdefault(measure, []).append((ends[0], ends[1], ends[2]))
    for measure, intervals in found.items():
        low, high, truth = np.array(intervals).T
        below = measure == "pooled_rho_violations"
        supports = float(np.mean(high < 0 if below else low > 0))
        limit = 0.025 + 2 * float(np.sqrt(0.025 * 0.975 / len(low)))
        nothing = setting.log_odds == 0 and setting.spread == 0
        coverage = float(np.mean((low <= truth) & (truth <= high)))
        yield PooledCalibrationRow(
            measure=measure,
            log_odds=setting.log_odds,
            spread=setting.spread,
            shared=setting.shared,
            studies=len(low),
            coverage=coverage,
            missed_below=float(np.mean(high < truth)),
            missed_above=float(np.mean(low > truth)),
            supports=supports,
            false_support_limit=limit if nothing else None,
            within_limit=supports <= limit if nothing else None,
            covers=coverage >= 0.95 - 2 * float(np.sqrt(0.95 * 0.05 / len(low))),
        )


def _study(
    setting: PanelSetting, plan: Plan, resamples: int, rng: np.random.Generator
) -> Iterator[tuple[str, float, float, float]]:
    """(measure, low, high, truth) of one study."""
    effects = rng.normal(setting.log_odds, setting.spread, len(MODELS) + 1)
    cells, tables = simulate(setting, effects[:-1], rng)
    draws = draw_panel(
        cells, resamples=resamples, seed=int(rng.integers(2**31)), signals=("violations",)
    )
    gap, violations = (
        next(one for one in plan.hypotheses if one.estimand == name)
        for name in ("accuracy_gap_pp", "rho_violations")
    )
    yield (
        "pooled_gap_pp",
        *_percentile(_pooled(gap, plan, "accuracy_gap_pp", draws)),
        _gap(tables),
    )
    ratios = _pooled(gap, plan, "log_odds_ratio", draws)
    truth = float(pooled_log_odds(tables[None, :, :4])[0])
    yield ("pooled_log_odds", *_percentile(ratios), truth)
    rho = _pooled(violations, plan, "atanh_rho", draws)
    shares = tables[:, 4:]
    z = [np.arctanh(rho_of(one / one.sum())) for one in shares]
    yield (
        "pooled_rho_violations",
        *_percentile(rho),
        float(np.average(z, weights=shares.sum(axis=1))),
    )
    estimate, error = clustered_log_odds(cells)
    half = float(stats.norm.ppf(0.975)) * error
    yield ("gee_log_odds", estimate - half, estimate + half, marginal_log_odds(tables[:, :4]))
    mean = setting.log_odds
    for name, new in (("mean_of_models", mean), ("prediction_new_model", float(effects[-1]))):
        row = next((one for one in ratios.rows() if one.quantity == name), None)
        if row is not None and row.ci_low and row.ci_high:
            yield (f"{name}_log_odds", float(np.log(row.ci_low)), float(np.log(row.ci_high)), new)


def _pooled(hypothesis: Hypothesis, plan: Plan, scale: str, draws: list[CellDraws]) -> Pooled:
    params = PooledParams(leave_out=[], interactions=[])
    return Pooled(hypothesis, plan, params, scale, tuple(draws))  # type: ignore[arg-type]


def _percentile(pooled: Pooled) -> tuple[float, float]:
    values = pooled.over(range(len(pooled.draws)))[1:]
    low, high = np.nanquantile(values, [0.025, 0.975])
    return float(low), float(high)


def _gap(tables: Values) -> float:
    return float(pooled_gap(tables[None, :, :4])[0])


def simulate(
    setting: PanelSetting, effects: Values, rng: np.random.Generator
) -> tuple[list[PanelCell], Values]:
    """One study's cells, and their expected counts `(k, 4 + 12)`: by shape, then by violations."""
    cells, tables = [], []
    for dataset in DATASETS:
        n = dataset.questions
        ease, shape = (_correlated(n, setting.shared, rng) for _ in range(2))
        levels = violation_shares(dataset.flag_rate)
        edges = stats.norm.ppf(np.cumsum(levels)[:-1])
        for place, model in enumerate(MODELS):
            monotone = float(special.expit(special.logit(dataset.other) + effects[place]))
            violations = np.searchsorted(edges, shape[place]).astype(np.float64)
            chance = np.where(violations == 0, monotone, dataset.other)
            cells.append(
                PanelCell(
                    name=f"{model}/{dataset.name}",
                    question_ids=_names(n),
                    correct=special.ndtr(ease[place]) < chance,
                    monotone=violations == 0,
                    violations=violations,
                    coherence=np.zeros(n),
                    chain_units=np.ones(n),
                )
            )
            right = np.array([monotone, *[dataset.other] * 5])
            by_level = np.concatenate([levels * right, levels * (1 - right)])
            by_shape = [by_level[0], by_level[6], by_level[1:6].sum(), by_level[7:].sum()]
            tables.append(n * np.concatenate([by_shape, by_level]))
    return cells, np.array(tables)


def _correlated(n: int, shared: float, rng: np.random.Generator) -> Values:
    """Standard normals `(models, n)` with that correlation between models."""
    own = rng.normal(size=(len(MODELS), n))
    return np.asarray(np.sqrt(shared) * rng.normal(size=n) + np.sqrt(1 - shared) * own)


@lru_cache(maxsize=8)
def _names(n: int) -> tuple[str, ...]:
    return tuple(f"q{index}" for index in range(n))


def marginal_log_odds(tables: Values) -> float:
    """The flag's coefficient in a logistic regression of tables `(k, 4)` with cells as effects."""
    return float(_grouped(tables)[0][-1])


def _grouped(tables: Values) -> tuple[Values, Values]:
    """Coefficients `(k + 1,)` of cells and flag, and the fitted probabilities `(k, 2)`."""
    k = len(tables)
    design = np.column_stack([np.repeat(np.eye(k), 2, axis=0), np.tile([1.0, 0.0], k)])
    counts = tables.reshape(2 * k, 2)
    with warnings.catch_warnings():
        # expected counts can fit without a rest, which statsmodels takes for separation
        warnings.simplefilter("ignore", PerfectSeparationWarning)
        found = GLM(counts, design, family=Binomial()).fit()
    return np.asarray(found.params), np.asarray(found.fittedvalues).reshape(k, 2)


def clustered_log_odds(cells: list[PanelCell]) -> tuple[float, float]:
    """The flag's log odds ratio and its error, as `fit_clustered` has them, from counts.

    The regression has two covariate patterns a cell, so that it is fitted to the counts, and a
    question's score is a sum of a few numbers: a thousand studies take seconds.
    """
    tables = np.array([cell.memberships().sum(axis=0) for cell in cells], dtype=np.float64)
    coefficients, fitted = _grouped(tables)
    k = len(cells)
    sizes = tables.reshape(k, 2, 2).sum(axis=2)
    weight = sizes * fitted * (1 - fitted)
    bread = np.zeros((k + 1, k + 1))
    bread[:k, :k] = np.diag(weight.sum(axis=1))
    bread[:k, k] = bread[k, :k] = weight[:, 0]
    bread[k, k] = weight[:, 0].sum()
    meat = np.zeros_like(bread)
    for dataset in dict.fromkeys(cell.dataset for cell in cells):
        own = [place for place, cell in enumerate(cells) if cell.dataset == dataset]
        score = np.zeros((len(cells[own[0]].question_ids), k + 1))
        for place in own:
            cell = cells[place]
            chance = np.where(cell.monotone, fitted[place, 0], fitted[place, 1])
            rest = cell.correct - chance
            score[:, place] = rest
            score[:, k] += rest * cell.monotone
        meat += score.T @ score
    inverse = np.linalg.inv(bread)
    variance = (inverse @ meat @ inverse)[k, k]
    return float(coefficients[k]), float(np.sqrt(variance))
