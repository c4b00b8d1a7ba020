"""Differences between models, between tasks and between subtypes, as C26 sets them side by side."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from itertools import combinations
from pathlib import Path
from typing import Literal

import pandas as pd

from cot_entropy.base.files import write_text
from cot_entropy.consistency.intervals import difference, paired_difference
from cot_entropy.consistency.judgement import Judgement
from cot_entropy.consistency.rates import ALL, Group, groups, share
from cot_entropy.consistency.taxonomy import SUBTYPES, not_faithfulness

QUANTITIES = ("inconsistent", *SUBTYPES)
COLUMNS = (
    "between", "first", "second", "model", "task", "unit", "quantity", "difference", "ci_low",
    "ci_high", "n_first", "n_second", "method", "note",
)  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class Contrast:
    """First minus second share of the decided, with its interval; 0.1 is ten percentage points."""

    between: Literal["models", "tasks", "subtypes"]
    """What is compared."""
    first: str
    """Name of the first."""
    second: str
    """Name of the second."""
    model: str
    """The model that both are about, or `all`."""
    task: str
    """The task that both are about, or `all`."""
    unit: str
    """As in rates.csv."""
    quantity: str
    """What is counted; empty between subtypes."""
    difference: float
    """First minus second share."""
    ci_low: float
    """Lower end of the 95 % interval."""
    ci_high: float
    """Upper end."""
    n_first: int
    """Decided transcripts of the first."""
    n_second: int
    """Of the second."""
    method: str
    """Source of the interval."""
    note: str = ""
    """The sentence that belongs to every rate."""


def contrasts(judgements: Sequence[Judgement]) -> list[Contrast]:
    """Every pair of models in all and within each task, and the same of tasks; every pair of
    subtypes in all, per model and per task. Pairs with nothing decided on one side are left out."""
    found = [group for group in groups(judgements) if group.decided]
    return [
        *_between(found, "models"),
        *_between(found, "tasks"),
        *(row for group in found if ALL in {group.model, group.task} for row in _subtypes(group)),
    ]


def _between(found: Sequence[Group], what: Literal["models", "tasks"]) -> Iterator[Contrast]:
    for first, second in combinations(found, 2):
        names = [(one.model, one.task) if what == "models" else (one.task, one.model)
                 for one in (first, second)]  # fmt: skip
        (name, fixed), (other, other_fixed) = names
        if first.unit != second.unit or fixed != other_fixed or ALL in {name, other}:
            continue
        for quantity in QUANTITIES:
            shares = [_share(one, quantity) for one in (first, second)]
            value, low, high = difference(*shares)
            yield Contrast(
                between=what,
                first=name,
                second=other,
                model=fixed if what == "tasks" else ALL,
                task=fixed if what == "models" else ALL,
                unit=first.unit,
                quantity=quantity,
                difference=value,
                ci_low=low,
                ci_high=high,
                n_first=len(first.decided),
                n_second=len(second.decided),
                method="Newcombe, taken as independent",
                note=not_faithfulness(),
            )


def _subtypes(group: Group) -> Iterator[Contrast]:
    decided = group.decided
    for first, second in combinations(SUBTYPES, 2):
        flags = [[one.subtype == name for one in decided] for name in (first, second)]
        size = min(share(decided, one).size for one in flags)
        rate, other = (sum(one) / len(decided) for one in flags)
        value, low, high = paired_difference(rate, other, size)
        yield Contrast(
            between="subtypes",
            first=first,
            second=second,
            model=group.model,
            task=group.task,
            unit=group.unit,
            quantity="",
            difference=value,
            ci_low=low,
            ci_high=high,
            n_first=len(decided),
            n_second=len(decided),
            method="Agresti and Min",
            note=not_faithfulness(),
        )


def _share(group: Group, name: str) -> tuple[float, float, float]:
    decided = group.decided
    found = share(decided, [name in {one.outcome, one.subtype} for one in decided])
    if found.rate is None or found.ci_low is None or found.ci_high is None:
        raise ValueError("a group with nothing decided has no share")
    return found.rate, found.ci_low, found.ci_high


def write_contrasts(path: Path, rows: Sequence[Contrast]) -> None:
    """Write contrasts as CSV; the header alone where there is nothing to compare."""
    frame = pd.DataFrame([asdict(row) for row in rows], columns=list(COLUMNS))
    write_text(path, frame.to_csv(index=False, lineterminator="\n"))
