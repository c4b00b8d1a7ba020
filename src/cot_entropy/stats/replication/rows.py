"""The rows of `replication.csv`: E14, one pair of studies and measure; E15, one pooled number."""

from __future__ import annotations

import csv
from dataclasses import fields
from pathlib import Path
from typing import Final, Literal

from pydantic import ConfigDict, TypeAdapter, ValidationError
from pydantic.dataclasses import dataclass as checked_dataclass

from cot_entropy.base.errors import DataError
from cot_entropy.base.strict import describe
from cot_entropy.stats.rows import Kind

THIS_RUN: Final = "this run"
EVERY_CELL: Final = "all"


@checked_dataclass(frozen=True, kw_only=True, config=ConfigDict(allow_inf_nan=False))
class ReplicationRow:
    """One number about a replication; None where undefined, `reason` says why.

    Rows with an `original` set one study beside a later one. Rows without are about this run's
    cells together. Correlations are Spearman's rho, odds ratios are not logarithms; only a
    `difference` of correlations is on the atanh scale, and one of odds ratios is their ratio.
    """

    id: Literal["E14", "E15"]
    """The plan's entry: E14 replication success, E15 pooled."""
    hypothesis: str
    """The claim in question."""
    cell: str
    """`model/dataset`; `all` for the hypothesis's cells together."""
    original: str = ""
    """The earlier study, as in published.yaml."""
    replication: str = ""
    """The later study; `this run` for ours."""
    design: Literal["matched", "pilot", ""] = ""
    """`pilot` where either study is not of our design."""
    scale: Literal["accuracy_gap_pp", "odds_ratio", "rho", ""] = ""
    """What the effect is measured in."""
    quantity: str
    """The measure."""
    estimate: float | None = None
    """The number."""
    ci_low: float | None = None
    """Lower end of its interval."""
    ci_high: float | None = None
    """Upper end of its interval."""
    p_value: float | None = None
    """The measure's own p-value, unadjusted."""
    met: bool | None = None
    """Whether the criterion is met; empty where the measure is none, or is undefined."""
    n: int | None = None
    """Questions behind an effect; rows of questions and models behind a pooled one."""
    basis: str = ""
    """Where an effect's error comes from: counts, simulated, approximation, measured."""
    kind: Kind = "exploratory"
    """Always exploratory."""
    reason: str = ""
    """Why a number is missing, and what it takes for granted."""


COLUMNS: Final = tuple(field.name for field in fields(ReplicationRow))


def read_replication(path: Path) -> tuple[ReplicationRow, ...]:
    """Read the table; raises DataError naming file and line."""
    adapter = TypeAdapter(ReplicationRow)
    try:
        with path.open(newline="", encoding="utf-8") as stream:
            reader = csv.DictReader(stream, strict=True)
            if tuple(reader.fieldnames or ()) != COLUMNS:
                columns = ", ".join(COLUMNS)
                raise DataError(f"{path}:1: the columns are not {columns}; analyse again")
            rows = []
            for fields_of_line in reader:
                values = {name: text for name, text in fields_of_line.items() if text}
                try:
                    rows.append(adapter.validate_python(values))
                except ValidationError as error:
                    where = f"{path}:{reader.line_num}"
                    raise DataError(f"{where}: {describe(error)}; analyse again") from None
    except FileNotFoundError:
        raise DataError(f"{path}: no such file; run the analysis first") from None
    except (csv.Error, UnicodeDecodeError, OSError) as error:
        raise DataError(f"{path}: not a readable CSV file ({error})") from None
    return tuple(rows)
