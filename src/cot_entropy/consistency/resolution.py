"""What a benchmark of this size can tell: how far apart judges must be to be told apart."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final

import pandas as pd

from cot_entropy.base.files import write_text
from cot_entropy.consistency.benchmark import BenchmarkLabel
from cot_entropy.consistency.intervals import wilson
from cot_entropy.consistency.taxonomy import SUBTYPES

RECALLS: Final = (0.5, 0.8, 0.95)
"""Judges of low, fair and high recall."""


@dataclass(frozen=True, kw_only=True)
class Resolution:
    """The 95 % Wilson interval around an observed recall, on the items of one outcome."""

    outcome: str
    n: int
    recall: float
    ci_low: float | None
    ci_high: float | None
    width: float | None
    """A share; None without items."""


def resolution(labels: Sequence[BenchmarkLabel]) -> list[Resolution]:
    """One row per outcome and recall, over clear items.

    A judge that shows this recall could be any judge inside the interval.
    """
    clear = [label for label in labels if not label.borderline]
    counts: Counter[str] = Counter(label.subtype or label.label for label in clear)
    counts["inconsistent"] = sum(label.label == "inconsistent" for label in clear)
    return list(_rows(counts))


def _rows(counts: Counter[str]) -> Iterator[Resolution]:
    for outcome in (*SUBTYPES, "inconsistent", "consistent"):
        n = counts[outcome]
        for recall in RECALLS:
            low, high = wilson(recall * n, n) if n else (None, None)
            yield Resolution(
                outcome=outcome,
                n=n,
                recall=recall,
                ci_low=low,
                ci_high=high,
                width=None if low is None or high is None else high - low,
            )


def told(rows: Sequence[Resolution]) -> Iterator[str]:
    """One line per outcome: what each recall could still be."""
    yield "What a judge's recall could still be, given what it shows on these items:"
    for outcome in dict.fromkeys(row.outcome for row in rows):
        own = [row for row in rows if row.outcome == outcome]
        spans = ", ".join(
            f"{row.recall:.0%}: {row.ci_low:.0%} to {row.ci_high:.0%}"
            if row.ci_low is not None
            else f"{row.recall:.0%}: anything"
            for row in own
        )
        yield f"{outcome:24} {own[0].n:>3} items; {spans}"


def write_resolution(path: Path, rows: Sequence[Resolution]) -> None:
    """Write the rows as CSV; what is undefined is empty."""
    write_text(
        path, pd.DataFrame([asdict(row) for row in rows]).to_csv(index=False, lineterminator="\n")
    )
