"""H2, H3 and H4b: Spearman's rho between a signal and correctness."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from cot_entropy.plan.model import Bounds, Interval, PValue
from cot_entropy.stats import intervals
from cot_entropy.stats.cells import Cell, derive_seed
from cot_entropy.stats.confirm.evidence import Detail, Sizes, share_detail
from cot_entropy.stats.intervals import Bracket, PermutationNull
from cot_entropy.stats.rank_correlation import (
    RankTable,
    fisher_z,
    permuted_tables,
    rank_table,
    spearman,
)

Values = NDArray[np.float64]
RankedSignal = Literal["coherence", "violations"]


@dataclass(frozen=True, eq=False, kw_only=True)
class RankSample:
    """A cell's signal against correctness, grouped by the signal's values."""

    cell: Cell
    signal: RankedSignal
    permutations: int
    seed: int

    @cached_property
    def table(self) -> RankTable:
        """The signal's values and which question has which."""
        return rank_table(self.cell.values(self.signal), self.cell.correct)

    @cached_property
    def _indicator(self) -> NDArray[np.float32]:
        return self.table.indicator()

    def statistic(self, counts: NDArray[np.int32]) -> Values:
        """Rho of each resample, `(b,)`, midranks recomputed; NaN where a side is constant."""
        tables = (counts.astype(np.float32) @ self._indicator).astype(np.float64)
        columns = len(self.table.levels)
        return spearman(tables[:, :columns], tables[:, columns:])

    def evidence(self, draws: Values) -> RankEvidence:
        """Judge rho on the draws `(B,)` and on permutations of the outcomes."""
        return RankEvidence(self, draws)


@dataclass(frozen=True, eq=False)
class RankEvidence:
    """Rho with its intervals and permutation tests."""

    sample: RankSample
    draws: Values

    @property
    def sizes(self) -> Sizes:
        """Questions with a defined signal."""
        right, wrong = self.sample.table.right.sum(), self.sample.table.wrong.sum()
        return Sizes(questions=int(right + wrong), correct=int(right))

    @cached_property
    def estimate(self) -> float | None:
        """Spearman's rho with midranks; None where the signal or correctness is constant."""
        rho = float(spearman(self.sample.table.right, self.sample.table.wrong))
        return None if np.isnan(rho) else rho

    @property
    def dropped(self) -> int:
        """Resamples with a constant signal or outcome."""
        return intervals.undefined_draws(self.draws)

    @cached_property
    def _null(self) -> PermutationNull | None:
        if self.estimate is None:
            return None
        sample = self.sample
        seed = derive_seed(sample.seed, sample.cell.name, sample.signal, "permutation")
        table = sample.table
        permuted = permuted_tables(
            table.right,
            table.wrong,
            permutations=sample.permutations,
            rng=np.random.default_rng(seed),
        )
        z, error = fisher_z(table.right, table.wrong)
        return PermutationNull.of(float(z), float(error), *fisher_z(*permuted))

    def interval(self, name: Interval, *, level: float) -> Bracket | None:
        """None where rho is undefined."""
        if self._null is None:
            return None
        if name == "permutation_t":
            return self._null.interval(level=level)
        if name == "percentile":
            return intervals.percentile(self.draws, level=level)
        raise NotImplementedError(f"{name} for a rank correlation")

    def p_value(self, name: PValue, bounds: Bounds) -> float | None:
        """Two-sided p of rho = 0, or the larger of the two one-sided p of the bounds."""
        if self._null is None:
            return None
        if name == "two_one_sided" and bounds.low is not None and bounds.high is not None:
            return self._null.p_two_one_sided(bounds.low, bounds.high)
        if name == "permutation":
            return self._null.p_two_sided()
        raise NotImplementedError(f"{name} for a rank correlation")

    def details(self, *, level: float) -> Iterator[Detail]:
        """Beside violations: accuracy at 0, 1, 2 and 3 or more of them."""
        if self.sample.signal != "violations":
            return
        violations, correct = self.sample.cell.violations, self.sample.cell.correct
        groups = [(str(k), violations == k) for k in range(3)] + [("3_or_more", violations >= 3)]
        for name, chosen in groups:
            right, size = int(correct[chosen].sum()), int(chosen.sum())
            yield share_detail(f"accuracy_at_{name}_violations", right, size, level=level)
