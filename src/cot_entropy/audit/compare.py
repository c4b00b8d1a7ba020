"""`cot-entropy audit RESULTS --against OTHER`: two runs, row by row, and where they part.

    questions -> chains -> prefixes -> completions -> trajectories -> verdicts, estimates

For each cell the first stage whose content differs is named: what follows differs because of it.
Content is compared, not bytes; the hash of a Parquet file is no content.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import zip_longest
from pathlib import Path
from typing import Any, Final, Literal

from cot_entropy.audit.run import Run, opened, read_run
from cot_entropy.audit.table_diff import CellDifference, Table, differences, read_csv, read_parquet
from cot_entropy.base.errors import DataError
from cot_entropy.base.files import read_jsonl
from cot_entropy.base.strict import Strict

Stage = Literal["questions", "chains", "prefixes", "completions", "trajectories"]

TABLES: Final = ("verdicts.csv", "estimates.csv")
BYTES: Final = "trajectories_sha256"
"""The column that holds a hash of a library's bytes."""
SHOWN: Final = 20


class StageComparison(Strict):
    """One stage of one cell in both runs."""

    cell: str
    stage: Stage
    records: int
    differing: int
    """Records, or rows, that are not the same."""
    detail: str


class ValueDifference(Strict):
    """One value of a table that differs; `relative` of two numbers."""

    table: str
    row: str
    column: str
    first: str
    second: str
    relative: float | None


class Comparison(Strict):
    """Two runs side by side; `exit_code` is 0 where their content is the same, else 1."""

    first: str
    second: str
    only_first: list[str]
    only_second: list[str]
    """Cells that one of them has."""
    stages: list[StageComparison]
    values: list[ValueDifference]

    @property
    def diverged(self) -> dict[str, Stage | None]:
        """The first stage that differs, by cell; None where no stage does."""
        found: dict[str, Stage | None] = {}
        for one in self.stages:
            if found.get(one.cell) is None:
                found[one.cell] = one.stage if one.differing else None
        return found

    @property
    def exit_code(self) -> Literal[0, 1]:
        """0 where both hold the same cells, records and values within the tolerance."""
        apart = self.only_first or self.only_second or self.values
        return 1 if apart or any(self.diverged.values()) else 0

    def lines(self) -> Iterator[str]:
        """The comparison as text."""
        yield f"comparison of {self.first} with {self.second}"
        yield from (f"only in {self.first}: {cell}" for cell in self.only_first)
        yield from (f"only in {self.second}: {cell}" for cell in self.only_second)
        for cell, stage in self.diverged.items():
            yield f"{cell}: {f'first differs in {stage}' if stage else 'the same in every stage'}"
        for one in self.stages:
            if one.differing:
                yield f"{one.cell} {one.stage}: {one.differing} of {one.records}: {one.detail}"
        yield f"tables: {len(self.values)} values differ"
        for value in self.values[:SHOWN]:
            ratio = "" if value.relative is None else f" (relative {value.relative:.2g})"
            where = f"{value.table}: {value.row}: {value.column}"
            yield f"{where}: {value.first} v {value.second}{ratio}"
        if len(self.values) > SHOWN:
            yield f"and {len(self.values) - SHOWN} more (--json shows all)"
        yield "not compared: times, costs, report and registration; audit each run for those"


def compare(first: Path, second: Path) -> Comparison:
    """Compare two results folders or archives; raises UserError where one cannot be read."""
    with opened(first) as ours, opened(second) as theirs:
        return _compare(
            read_run(ours), read_run(theirs), _name(first, second), _name(second, first)
        )


def _compare(ours: Run, theirs: Run, first: str, second: str) -> Comparison:
    mine, others = _cells(ours), _cells(theirs)
    return Comparison(
        first=first,
        second=second,
        only_first=[cell for cell in mine if cell not in others],
        only_second=[cell for cell in others if cell not in mine],
        stages=[stage for cell in mine if cell in others for stage in _stages(cell, ours, theirs)],
        values=[
            _value(name, one)
            for name in TABLES
            for one in differences(_content(ours.results / name), _content(theirs.results / name))
        ],
    )


def _stages(cell: str, ours: Run, theirs: Run) -> Iterator[StageComparison]:
    first, second = _paths(cell, ours), _paths(cell, theirs)
    for stage, path in first.items():
        other = second[stage]
        if path.name.endswith(".parquet"):
            yield _rows(cell, path, other)
        else:
            yield _records(cell, stage, path, other)


def _records(cell: str, stage: Stage, path: Path, other: Path) -> StageComparison:
    count = differing = 0
    detail = ""
    for a, b in zip_longest(read_jsonl(path), read_jsonl(other)):
        if (a or b)[0] == 1:  # the header: settings, compared through the registration
            continue
        count += 1
        if a is None or b is None or a[1] != b[1]:
            differing += 1
            detail = detail or _first_difference(count, a and a[1], b and b[1])
    return StageComparison(
        cell=cell, stage=stage, records=count, differing=differing, detail=detail
    )


def _rows(cell: str, path: Path, other: Path) -> StageComparison:
    stored = read_parquet(path)
    found = list(differences(stored, read_parquet(other)))
    return StageComparison(
        cell=cell,
        stage="trajectories",
        records=len(stored.rows),
        differing=len({one.row for one in found}),
        detail=str(found[0]) if found else "",
    )


def _first_difference(number: int, a: dict[str, Any] | None, b: dict[str, Any] | None) -> str:
    if a is None or b is None:
        return f"question {number} is in one of them only"
    keys = [key for key in (*a, *b) if a.get(key) != b.get(key)]
    identity = a.get("question_id", a.get("id", number))
    return f"question {identity}: {', '.join(dict.fromkeys(keys))}"


def _paths(cell: str, run: Run) -> dict[Stage, Path]:
    configuration = run.record.configuration
    names = configuration.protocols.protocols[configuration.study.protocol]
    chain = run.results / cell / names.chain
    dataset = cell.split("/")[1]
    return {
        "questions": run.results / f"inputs/{dataset}.questions.jsonl.zst",
        "chains": chain / "chains.jsonl.zst",
        "prefixes": chain / names.probe / "prefixes.jsonl.zst",
        "completions": chain / names.probe / "completions.jsonl.zst",
        "trajectories": chain / names.probe / names.scoring / "trajectories.parquet",
    }


def _cells(run: Run) -> list[str]:
    return [cell.cell for cell in run.cells]


def _content(path: Path) -> Table:
    table = read_csv(path)
    if BYTES not in table.columns:
        raise DataError(f"{path}: no column `{BYTES}`; not a table of this project")
    at = table.columns.index(BYTES)
    return Table(
        table.columns[:at] + table.columns[at + 1 :],
        tuple(row[:at] + row[at + 1 :] for row in table.rows),
    )


def _value(table: str, one: CellDifference) -> ValueDifference:
    return ValueDifference(
        table=table,
        row=one.row,
        column=one.column,
        first=str(one.first),
        second=str(one.second),
        relative=one.relative,
    )


def _name(path: Path, other: Path) -> str:
    return path.name if path.name != other.name else str(path)
