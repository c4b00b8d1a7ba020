"""What a batch of simulated studies says of one interval: coverage, misses, verdicts."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from cot_entropy.plan.model import Hypothesis

Values = NDArray[np.float64]
Flags = NDArray[np.bool_]
TableStatistic = Callable[[Values], Values]


class Brackets(NamedTuple):
    """The intervals of many studies, `(S,)` each; NaN where undefined."""

    low: Values
    high: Values


class Significance(NamedTuple):
    """Which p-values, `(S,)` each, are below alpha in Holm's last and in its first step."""

    last_step: Flags
    first_step: Flags

    @classmethod
    def of(cls, p_values: Values, *, alpha: float, cells: int) -> Significance:
        """From p-values `(S,)`, NaN where there is none."""
        return cls(p_values < alpha, p_values < alpha / cells)

    def first(self, studies: int) -> Significance:
        """Those of the first studies."""
        return Significance(self.last_step[:studies], self.first_step[:studies])


@dataclass(frozen=True, kw_only=True)
class Setting:
    """A simulated design; `truth` is the estimand's true value in its unit."""

    estimand: str
    n: int
    accuracy: float
    flag_rate: float | None
    truth: float


@dataclass(frozen=True, kw_only=True)
class CalibrationRow:
    """One interval in one setting: rates over the assessable studies.

    `missed_below`: the interval lies below the truth; `missed_above`: above it. `supported` is
    the registered verdict, its p-value unadjusted: the most that Holm's adjustment allows;
    `supported_first_step` the least, with alpha divided by the number of cells.
    `false_support_limit` stands where the claim is false, at its edge.
    """

    estimand: str
    n: int
    accuracy: float
    flag_rate: float | None
    truth: float
    interval: str
    decides: bool
    studies: int
    assessable: float
    coverage: float
    missed_below: float
    missed_above: float
    interval_supports: float
    supported: float
    supported_first_step: float
    refuted: float
    false_support_limit: float | None
    within_limit: bool | None
    covers: bool


def bootstrap_brackets(
    tables: Values,
    statistic: TableStatistic,
    *,
    levels: tuple[float, ...],
    resamples: int,
    rng: np.random.Generator,
) -> dict[tuple[str, float], Brackets]:
    """Percentile and BCa intervals of a statistic of count tables `(S, C)`, by name and level.

    Resampling the questions of a table is a multinomial draw of its counts.
    """
    names = [(name, level) for name in ("percentile", "bca") for level in levels]
    ends = {key: np.full((len(tables), 2), np.nan) for key in names}
    for index, table in enumerate(tables):
        drawn = rng.multinomial(int(table.sum()), table / table.sum(), size=resamples)
        draws = statistic(drawn.astype(np.float64))
        draws = np.sort(draws[~np.isnan(draws)])
        if not len(draws):
            continue
        for name, level in names:
            tails = np.array([(1 - level) / 2, (1 + level) / 2])
            if name == "bca":
                tails = _bca_tails(table, statistic, draws, tails)
            ends[name, level][index] = np.quantile(draws, tails)
    return {key: Brackets(*value.T) for key, value in ends.items()}


def _bca_tails(table: Values, statistic: TableStatistic, draws: Values, tails: Values) -> Values:
    """Efron's bias-corrected and accelerated tail probabilities; plain ones where undefined."""
    estimate = float(statistic(table[None])[0])
    below = (np.count_nonzero(draws < estimate) + np.count_nonzero(draws <= estimate)) / 2
    present = np.flatnonzero(table)
    jackknife = statistic(table - np.eye(len(table))[present])
    if np.isnan(jackknife).any() or not 0 < below < len(draws):
        return tails
    weights = table[present]
    deviation = np.average(jackknife, weights=weights) - jackknife
    spread = (weights * deviation**2).sum()
    acceleration = (weights * deviation**3).sum() / (6 * spread**1.5) if spread > 0 else 0.0
    bias = stats.norm.ppf(below / len(draws))
    z = bias + stats.norm.ppf(tails)
    return np.asarray(stats.norm.cdf(bias + z / (1 - acceleration * z)))


def tally(
    setting: Setting,
    hypothesis: Hypothesis,
    *,
    interval: str,
    reported: Brackets,
    deciding: Brackets,
    significant: Significance,
    assessable: Flags,
) -> CalibrationRow:
    """Count over the assessable studies. `reported` is at the plan's level, `deciding` at the
    level that supports."""
    studies = int(assessable.sum())
    supports, at_edge = _supports(hypothesis, deciding, setting.truth)
    one_sided = (1 - hypothesis.levels.supported) / 2
    limit = one_sided + 2 * float(np.sqrt(one_sided * (1 - one_sided) / max(studies, 1)))
    covered = (reported.low <= setting.truth) & (setting.truth <= reported.high)
    nominal = hypothesis.levels.refuted
    slack = 2 * float(np.sqrt(nominal * (1 - nominal) / max(studies, 1)))

    def rate(chosen: Flags) -> float:
        return float(chosen[assessable].mean()) if studies else 0.0

    supported = rate(supports & significant.last_step)
    return CalibrationRow(
        estimand=setting.estimand,
        n=setting.n,
        accuracy=setting.accuracy,
        flag_rate=setting.flag_rate,
        truth=setting.truth,
        interval=interval,
        decides=interval == hypothesis.interval,
        studies=studies,
        assessable=float(assessable.mean()),
        coverage=rate(covered),
        missed_below=rate(reported.high < setting.truth),
        missed_above=rate(reported.low > setting.truth),
        interval_supports=rate(supports),
        supported=supported,
        supported_first_step=rate(supports & significant.first_step),
        refuted=rate(_refutes(hypothesis, reported)),
        false_support_limit=limit if at_edge else None,
        within_limit=supported <= limit if at_edge else None,
        covers=rate(covered) >= nominal - slack,
    )


def _supports(hypothesis: Hypothesis, at: Brackets, truth: float) -> tuple[Flags, bool]:
    """Which studies the interval rule supports, and whether the truth is where it must not."""
    bounds = hypothesis.bounds
    if bounds.low is not None and bounds.high is not None:
        outside = not bounds.low + 1e-9 < truth < bounds.high - 1e-9
        return (bounds.low < at.low) & (at.high < bounds.high), outside
    threshold = bounds.threshold or 0.0
    if hypothesis.rule == "above":
        return at.low > threshold, truth <= threshold + 1e-9
    return at.high < threshold, truth >= threshold - 1e-9


def _refutes(hypothesis: Hypothesis, at: Brackets) -> Flags:
    bounds = hypothesis.bounds
    if bounds.low is not None and bounds.high is not None:
        return (at.high < bounds.low) | (at.low > bounds.high)
    threshold = bounds.threshold or 0.0
    return at.high < threshold if hypothesis.rule == "above" else at.low > threshold
