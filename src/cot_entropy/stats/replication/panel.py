"""The same questions asked of several models: cells side by side, resampled by question.

A resample draws the questions of each dataset with replacement, and a question that is drawn
brings the rows of all its models. Cells of one dataset are therefore correlated in the draws, as
they are in fact; cells of different datasets are independent.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final, Literal

import numpy as np
from numpy.typing import NDArray

from cot_entropy.stats.cells import Cell, derive_seed
from cot_entropy.stats.rank_correlation import RankTable, rank_table
from cot_entropy.stats.resampling import resample_counts

Values = NDArray[np.float64]
Flags = NDArray[np.bool_]
RankedSignal = Literal["coherence", "violations"]

SIGNALS: Final[tuple[RankedSignal, ...]] = ("violations", "coherence")
GAP_COLUMNS: Final = 4


@dataclass(frozen=True, eq=False, kw_only=True)
class PanelCell:
    """The columns of one cell that pooled estimates need, each `(n,)`; NaN where undefined."""

    name: str
    question_ids: tuple[str, ...]
    correct: Flags
    monotone: Flags
    violations: Values
    coherence: Values
    chain_units: Values

    @classmethod
    def of(cls, cell: Cell) -> PanelCell:
        """From a cell's trajectories."""
        return cls(
            name=cell.name,
            question_ids=tuple(cell.frame["question_id"].astype(str)),
            correct=cell.correct,
            monotone=cell.monotone,
            violations=cell.violations,
            coherence=cell.coherence,
            chain_units=cell.values("n_units_chain"),
        )

    @property
    def model(self) -> str:
        """The part of the name before the slash."""
        return self.name.partition("/")[0]

    @property
    def dataset(self) -> str:
        """The part of the name after the slash."""
        return self.name.partition("/")[2]

    @cached_property
    def shape_defined(self) -> Flags:
        """Where violations are counted, `(n,)`."""
        return ~np.isnan(self.violations)

    def memberships(self) -> NDArray[np.float32]:
        """`(n, 4)`: right and wrong among monotone chains, right and wrong among the others."""
        groups = (self.monotone, self.shape_defined & ~self.monotone)
        outcomes = (self.correct, ~self.correct)
        columns = [group & outcome for group in groups for outcome in outcomes]
        return np.column_stack(columns).astype(np.float32)

    def ranked(self, signal: RankedSignal) -> RankTable:
        """The questions grouped by a signal's value."""
        return rank_table(getattr(self, signal), self.correct)


@dataclass(frozen=True, eq=False)
class CellDraws:
    """What each resample says of one cell: counts `(B, ...)`, the data's own counts first."""

    cell: PanelCell
    shape: Values
    """`(B + 1, 4)`, as `PanelCell.memberships`."""
    ranks: dict[RankedSignal, tuple[Values, Values]]
    """Right and wrong answers by signal value, `(B + 1, K)` each."""


def draw_panel(
    cells: Sequence[PanelCell], *, resamples: int, seed: int, signals: Sequence[RankedSignal]
) -> list[CellDraws]:
    """Resample the questions of each dataset; rows in the order of `cells`.

    Row 0 of every table is the data itself, so that an estimate and its draws share their code.
    """
    found: dict[str, CellDraws] = {}
    for dataset in dict.fromkeys(cell.dataset for cell in cells):
        members = [cell for cell in cells if cell.dataset == dataset]
        order: dict[str, int] = {}
        for cell in members:
            for question in cell.question_ids:
                order.setdefault(question, len(order))
        blocks, columns = _layout(members, order, signals)
        stream = resample_counts(
            len(order), resamples=resamples, seed=derive_seed(seed, "questions", dataset)
        )
        drawn = [np.ones((1, len(order)), dtype=np.float32) @ blocks]
        drawn += [counts.astype(np.float32) @ blocks for counts in stream]
        tables = np.concatenate(drawn).astype(np.float64)
        for cell, parts in zip(members, columns, strict=True):
            shape, *ranks = (tables[:, part] for part in parts)
            halves = [
                (part[:, : part.shape[1] // 2], part[:, part.shape[1] // 2 :]) for part in ranks
            ]
            found[cell.name] = CellDraws(cell, shape, dict(zip(signals, halves, strict=True)))
    return [found[cell.name] for cell in cells]


def _halves(tables: Values) -> tuple[Values, Values]:
    middle = tables.shape[1] // 2
    return tables[:, :middle], tables[:, middle:]


def _layout(
    members: Sequence[PanelCell], order: dict[str, int], signals: Sequence[RankedSignal]
) -> tuple[NDArray[np.float32], list[list[slice]]]:
    """Indicators of all cells over the questions of a dataset, and where each part stands."""
    blocks: list[NDArray[np.float32]] = []
    columns: list[list[slice]] = []
    start = 0
    for cell in members:
        parts = [cell.memberships(), *(cell.ranked(signal).indicator() for signal in signals)]
        rows = [order[question] for question in cell.question_ids]
        slices = []
        for part in parts:
            placed = np.zeros((len(order), part.shape[1]), dtype=np.float32)
            placed[rows] = part
            blocks.append(placed)
            slices.append(slice(start, start + part.shape[1]))
            start += part.shape[1]
        columns.append(slices)
    return np.concatenate(blocks, axis=1), columns
