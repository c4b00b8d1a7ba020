"""Our numbers beside the published ones: `comparison.csv`.

Figures whose design agrees with the registered one in most come first; `matched` names in what. A
difference is ours less theirs. Its interval (MOVER: Zou and Donner 2008; for two proportions this
is Newcombe's) combines our row's interval with that of the published figure, where the published
counts give one, and takes the two runs as independent samples: on the same questions it is
wider than a paired one would be.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

from cot_entropy.stats.published.beside import set_beside, with_ours
from cot_entropy.stats.published.intervals import Value
from cot_entropy.stats.published.model import Study, load_published
from cot_entropy.stats.published.row import Comparison
from cot_entropy.stats.rows import Estimate

EVERY_CELL: Final = "all"
"""The cell of a figure over all cells of its paper."""


def comparison(
    rows: Sequence[Estimate], published: Path, *, level: float, cells: Collection[str]
) -> list[Comparison]:
    """Every published figure with ours beside it, then our verdicts that nobody has published.

    `rows` are those of both tables; `level` is the coverage of their intervals. `cells` are the
    plan's: no others count in a figure over all cells. Raises PlanError where the published file
    cannot be used.
    """
    loaded = load_published(published)
    ordered = sorted(loaded.studies, key=lambda study: -len(study.matched))
    known = loaded.level == level
    found = [
        row
        for study in ordered
        for row in _study(study, _rows_for(study, rows, cells), level, intervals=known)
    ]
    taken = {(row.id, row.cell, row.quantity) for row in found}
    alone = [
        replace(
            with_ours(Comparison(cell=row.cell, quantity=row.quantity), row),
            id=row.id,
        )
        for row in rows
        if row.id.startswith("H")
        and row.verdict is not None
        and (row.id, row.cell, row.quantity) not in taken
    ]
    return [*found, *alone]


def _rows_for(study: Study, rows: Sequence[Estimate], cells: Collection[str]) -> Sequence[Estimate]:
    """Our rows that a study's figures can be about."""
    if study.cell == EVERY_CELL:
        return [row for row in rows if row.cell in cells]
    if "/" not in study.cell:
        own = f"{study.cell}/"
        return [row for row in rows if row.cell in cells and row.cell.startswith(own)]
    return [row for row in rows if row.cell == study.cell]


def _study(
    study: Study, rows: Sequence[Estimate], level: float, *, intervals: bool
) -> Iterator[Comparison]:
    for figure in study.figures:
        low, high = (figure.interval if intervals else None) or (None, None)
        theirs = Value(estimate=float(figure.printed), low=low, high=high, n=study.n)
        implied_low, implied_high = figure.implied or (None, None)
        blank = Comparison(
            matched=", ".join(study.matched),
            source=study.source,
            version=figure.version,
            study=study.id,
            cell=study.cell,
            quantity=figure.quantity,
            published=theirs.estimate,
            published_to=None if figure.to is None else float(figure.to),
            published_ci_low=low,
            published_ci_high=high,
            published_n=study.n,
            published_note=figure.note,
            check=figure.check,
            implied_low=implied_low,
            implied_high=implied_high,
            check_note=figure.check_note,
        )
        yield (
            set_beside(blank, figure.ours, theirs, rows, level)
            if figure.ours
            else replace(blank, difference_note="not measured here")
        )
