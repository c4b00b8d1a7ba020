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
from typing import Final

from cot_entropy.report import text
from cot_entropy.stats.read_tables import Table, number, read_table

ALL: Final = "all"


@dataclass(frozen=True, kw_only=True)
class Judge:
    """One judge's tables; a table that is not there is None."""

    name: str
    scores: Table | None
    """Precision, recall, agreement and errors on the benchmark, as shown."""
    confusion: Table | None
    rates: tuple[tuple[str, Table], ...]
    """By cell, as shown: each rate beside the judge's record on labelled items."""
    map: tuple[RateCell, ...] = ()
    """By cell: how often each subtype, for the heat map."""


@dataclass(frozen=True, kw_only=True)
class RateCell:
    """The raw shares of one cell's decided chains, by what they are inconsistent in."""

    name: str
    decided: int
    rates: Mapping[str, float | None]
    """`inconsistent` first, then each subtype; None where nothing was decided."""


def read_judges(results: Path) -> tuple[Judge, ...]:
    """Every judge that scanned or was validated; raises DataError naming the unusable file."""
    return tuple(_judges(results / "consistency"))


def _judges(folder: Path) -> Iterator[Judge]:
    for path in sorted(folder.glob("*/")):
        tables = {
            "/".join(found.parts[-3:-1]): found for found in sorted(path.glob("*/*/rates.csv"))
        }
        scores, confusion = (
            path / "validation" / f"{name}.csv" for name in ("scores", "confusion")
        )
        yield Judge(
            name=path.name,
            scores=_scores(scores) if scores.exists() else None,
            confusion=read_table(confusion) if confusion.exists() else None,
            rates=tuple((cell, _rates(found)) for cell, found in tables.items()),
            map=tuple(_cell(cell, found) for cell, found in tables.items()),
        )


def _cell(name: str, path: Path) -> RateCell:
    """The pooled raw rates of the decided, whoever decided."""
    rows = [
        row
        for row in _rows(path)
        if row["of"] == "decided"
        and row["method"].startswith("raw")
        and (row["decided_by"] or ALL, row["model"] or ALL, row["task"] or ALL) == (ALL, ALL, ALL)
    ]
    rates = {row["quantity"]: number(row["rate"], f"{path}: rate") for row in rows}
    return RateCell(name=name, decided=int(rows[0]["n"]) if rows else 0, rates=rates)


def _rates(path: Path) -> Table:
    return Table(
        ("quantity", "rate", "95 % interval", "count", "how", "the judge on the benchmark"),
        tuple(
            (
                row["quantity"]
                + ("" if row["decided_by"] in {"", ALL} else f", decided by {row['decided_by']}"),
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
