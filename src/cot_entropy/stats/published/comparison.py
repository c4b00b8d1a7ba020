"""Our numbers beside the published ones: `comparison.csv`.

Full sets are matched designs; the pilots of 300 questions are not, and come after them. A
difference is ours less theirs. Its interval (MOVER: Zou and Donner 2008; for two proportions this
is Newcombe's) combines our row's interval with that of the published figure, where the published
counts give one, and takes the two runs as independent samples: on the same questions it is
wider than a paired one would be.
"""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Collection, Iterator, Sequence
from dataclasses import astuple, dataclass, fields, replace
from pathlib import Path
from typing import Final, Literal

import numpy as np
from statsmodels.stats.proportion import proportion_confint

from cot_entropy.base.files import write_text
from cot_entropy.stats.published.checks import Outcome, check, fitting_tables
from cot_entropy.stats.published.intervals import Value, mover, published_value
from cot_entropy.stats.published.model import Ours, Study, load_published
from cot_entropy.stats.rows import Estimate, Kind, Verdict

Setting = Literal["matched", "unmatched", "no published figure"]


@dataclass(frozen=True, kw_only=True)
class Comparison:
    """One published figure and ours beside it; None where undefined, the notes say why."""

    setting: Setting
    """Whether the published design matches ours."""
    source: str = ""
    """The paper."""
    version: str = ""
    """Its version, where only that one prints the figure."""
    study: str = ""
    """Its study of the cell."""
    cell: str
    """`model/dataset`."""
    quantity: str
    """What was published."""
    published: float | None = None
    """The printed figure."""
    published_ci_low: float | None = None
    """Lower end of its interval, from counts that fit the print."""
    published_ci_high: float | None = None
    """Upper end."""
    published_n: int | None = None
    """Questions behind it."""
    published_note: str = ""
    """What is to be known about it."""
    check: Outcome | None = None
    """Whether it follows from the paper's other figures."""
    implied_low: float | None = None
    """Least value that the paper's counts allow."""
    implied_high: float | None = None
    """Greatest value."""
    check_note: str = ""
    """How it was checked."""
    id: str = ""
    """The plan's entry of our number."""
    ours: float | None = None
    """Our number."""
    ours_ci_low: float | None = None
    """Lower end of its interval."""
    ours_ci_high: float | None = None
    """Upper end."""
    ours_n: int | None = None
    """Questions behind it."""
    ours_kind: Kind | None = None
    """Whether it is confirmatory."""
    ours_verdict: Verdict | None = None
    """The verdict on it."""
    difference: float | None = None
    """Ours less the published one."""
    difference_ci_low: float | None = None
    """Lower end of its interval."""
    difference_ci_high: float | None = None
    """Upper end."""
    difference_note: str = ""
    """Why it is missing."""


COLUMNS: Final = tuple(field.name for field in fields(Comparison))


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
    studies = load_published(published).studies
    ordered = sorted(studies, key=lambda study: study.design != "matched")
    registered = [row for row in rows if row.cell in cells]
    found = [
        row
        for study in ordered
        for row in _study(study, registered if study.cell == EVERY_CELL else rows, level)
    ]
    taken = {(row.id, row.cell, row.quantity) for row in found if row.setting == "matched"}
    alone = [
        replace(
            _with_ours(
                Comparison(setting="no published figure", cell=row.cell, quantity=row.quantity), row
            ),
            id=row.id,
        )
        for row in rows
        if row.id.startswith("H")
        and row.verdict is not None
        and (row.id, row.cell, row.quantity) not in taken
    ]
    return [*found, *alone]


def write_comparison(path: Path, rows: Sequence[Comparison]) -> None:
    """Write the rows as CSV, atomically. Raises ValueError on NaN or infinity, naming the row."""
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(COLUMNS)
    for row in rows:
        for column, value in zip(COLUMNS, astuple(row), strict=True):
            if isinstance(value, float) and not math.isfinite(value):
                raise ValueError(f"{row.study} {row.cell} {row.quantity}: {column} is {value}")
        writer.writerow(["" if value is None else value for value in astuple(row)])
    write_text(path, stream.getvalue())


def _study(study: Study, rows: Sequence[Estimate], level: float) -> Iterator[Comparison]:
    fitting = fitting_tables(study)
    for figure in study.figures:
        checked = check(figure, study, fitting)
        theirs = published_value(figure, study, fitting, level)
        blank = Comparison(
            setting="matched" if study.design == "matched" else "unmatched",
            source=study.source,
            version=figure.version,
            study=study.id,
            cell=study.cell,
            quantity=figure.quantity,
            published=figure.number.value,
            published_ci_low=theirs.low,
            published_ci_high=theirs.high,
            published_n=study.n,
            published_note=figure.note,
            check=checked.outcome,
            implied_low=checked.low,
            implied_high=checked.high,
            check_note=checked.note,
        )
        yield (
            _compared(blank, figure.ours, theirs, rows, level)
            if figure.ours
            else replace(blank, difference_note="not measured here")
        )


def _compared(
    blank: Comparison, ours: Ours, theirs: Value, rows: Sequence[Estimate], level: float
) -> Comparison:
    chosen = [row for row in rows if (row.id, row.quantity) == (ours.id, ours.quantity)]
    named = replace(blank, id=ours.id)
    if ours.field in {"cells_above_zero", "cells_below_zero"}:
        return _counted(named, ours, chosen)
    row = next((row for row in chosen if row.cell == blank.cell), None)
    if row is None:
        why = "no such row of ours: the cell was not run, or does not reach it"
        return replace(named, difference_note=why)
    filled = _with_ours(named, row)
    if ours.field != "estimate":
        filled = replace(filled, ours_verdict=None)
    value = _our_value(row, ours, level)
    if value.estimate is None:
        return replace(filled, ours=None, difference_note=row.reason or "undefined in ours")
    if ours.field == "p_value":
        shown = replace(filled, ours=value.estimate, ours_ci_low=None, ours_ci_high=None)
        return replace(shown, difference_note="p-values are not subtracted")
    low, high = mover(value, theirs)
    missing = "" if low is not None else _why_no_interval(value, theirs)
    return replace(
        filled,
        ours=value.estimate,
        ours_ci_low=value.low,
        ours_ci_high=value.high,
        ours_n=value.n,
        difference=None if theirs.estimate is None else value.estimate - theirs.estimate,
        difference_ci_low=low,
        difference_ci_high=high,
        difference_note=missing,
    )


def _with_ours(row: Comparison, ours: Estimate) -> Comparison:
    return replace(
        row,
        ours=ours.estimate,
        ours_ci_low=ours.ci_low,
        ours_ci_high=ours.ci_high,
        ours_n=ours.n,
        ours_kind=ours.kind,
        ours_verdict=ours.verdict,
        difference_note=ours.reason,
    )


def _counted(row: Comparison, ours: Ours, chosen: Sequence[Estimate]) -> Comparison:
    """In how many cells our row lies above, or below, 0."""
    signs = [np.sign(one.estimate) for one in chosen if one.estimate is not None]
    if not signs:
        return replace(row, difference_note="no registered cell of ours has this row")
    wanted = 1 if ours.field == "cells_above_zero" else -1
    count = sum(sign == wanted for sign in signs)
    note = f"{count} of the {len(signs)} registered cells run"
    return replace(row, ours=float(count), ours_kind="exploratory", difference_note=note)


def _our_value(row: Estimate, ours: Ours, level: float) -> Value:
    times = ours.times
    if ours.field == "p_value":
        return Value(estimate=row.p_value, n=row.n)
    if ours.field == "share_correct":
        if not row.n or row.n_correct is None:
            return Value()
        share = row.n_correct / row.n
        low, high = proportion_confint(row.n_correct, row.n, alpha=1 - level, method="wilson")
        return Value(estimate=times * share, low=times * low, high=times * high, n=row.n)
    scaled = [None if v is None else times * v for v in (row.estimate, row.ci_low, row.ci_high)]
    return Value(estimate=scaled[0], low=scaled[1], high=scaled[2], n=row.n)


def _why_no_interval(ours: Value, theirs: Value) -> str:
    if theirs.low is None:
        return "no interval: the published counts are not known"
    return "no interval: our row has none"
