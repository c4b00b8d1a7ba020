"""The consistency scans of a run: per judge its validation and its rates.

consistency/<judge>/validation/{scores,confusion}.csv     the judge on labelled transcripts
consistency/<judge>/<model>/<dataset>/rates.csv           what it says of a cell's chains
consistency/<judge>/estimates.csv                         its labels beside the entropy signal
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from cot_entropy.report import text
from cot_entropy.stats.read_tables import Table, number, read_table


@dataclass(frozen=True, kw_only=True)
class Judge:
    """One judge's tables; a table that is not there is None."""

    name: str
    scores: Table | None
    """Precision, recall, agreement and errors on the benchmark, as shown."""
    confusion: Table | None
    rates: tuple[tuple[str, Table], ...]
    """By cell, as shown: each rate beside the judge's record on labelled items."""


def read_judges(results: Path) -> tuple[Judge, ...]:
    """Every judge that scanned or was validated; raises DataError naming the unusable file."""
    return tuple(_judges(results / "consistency"))


def _judges(folder: Path) -> Iterator[Judge]:
    for path in sorted(folder.glob("*/")):
        rates = tuple(
            ("/".join(found.parts[-3:-1]), _rates(found))
            for found in sorted(path.glob("*/*/rates.csv"))
        )
        scores, confusion = (
            path / "validation" / f"{name}.csv" for name in ("scores", "confusion")
        )
        yield Judge(
            name=path.name,
            scores=_scores(scores) if scores.exists() else None,
            confusion=read_table(confusion) if confusion.exists() else None,
            rates=rates,
        )


def _rates(path: Path) -> Table:
    return Table(
        ("quantity", "rate", "95 % interval", "count", "how", "the judge on the benchmark"),
        tuple(
            (
                row["quantity"],
                *_share(row, "rate", path),
                f"{row['count'] or '–'} of {row['n']} {row['of']}",
                row["reason"] or row["method"],
                row["on_benchmark"],
            )
            for row in _rows(path)
        ),
    )


def _scores(path: Path) -> Table:
    return Table(
        ("quantity", "outcome", "value", "95 % interval", "count", "judge errors", "note"),
        tuple(
            (
                row["quantity"],
                row["outcome"],
                *_share(row, "value", path),
                f"{row['count']} of {row['n']}",
                row["judge_errors"],
                row["reason"],
            )
            for row in _rows(path)
        ),
    )


def _rows(path: Path) -> Iterator[defaultdict[str, str]]:
    """The rows of a table by column; a column that is not there is empty."""
    table = read_table(path)
    for values in table.rows:
        yield defaultdict(str, zip(table.columns, values, strict=True))


def _share(row: Mapping[str, str], name: str, path: Path) -> tuple[str, str]:
    """A share and its interval, two decimals; a dash where there is none."""
    value, low, high = (number(row[key], f"{path}: {key}") for key in (name, "ci_low", "ci_high"))
    interval = "–" if low is None or high is None else f"{low:.2f} to {high:.2f}"
    return text.plain(value, 2), interval
