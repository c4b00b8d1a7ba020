"""`cot-entropy audit RESULTS --against OTHER`: two runs, row by row, and where they part.

    questions -> chains -> prefixes -> completions -> trajectories -> verdicts, estimates

For each cell the first stage whose content differs is named: what follows differs because of it.
Content is compared, not bytes; the hash of a Parquet file is no content.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import zip_longest
from pathlib import Path
from typing import Any, Final, Literal

from cot_entropy.audit.run import Run, opened, read_run
from cot_entropy.audit.table_diff import CellDifference, Table, differences, read_csv, read_parquet
from cot_entropy.base.errors import DataError
from cot_entropy.base.files import read_jsonl
from cot_entropy.base.printable import printable
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


class ItemDifference(Strict):
    """One registered item that the two runs found different; null where a run has none."""

    item: str
    first: str | None
    second: str | None


class Comparison(Strict):
    """Two runs side by side, as `--against --json` prints them."""

    schema_version: Literal[1] = 1
    """Version of this format."""
    exit_code: Literal[0, 1]
    """0 where both hold the same items, cells, records, and values within the tolerance."""
    first: str
    """The first run, by its name."""
    second: str
    """The second run, by its name."""
    items: list[ItemDifference]
    """What they were told differently, the seed first; code and files last."""
    only_first: list[str]
    """Cells that the first one has alone."""
    only_second: list[str]
    """Cells that the second one has alone."""
    diverged: dict[str, Stage | None]
    """The first stage that differs, by cell; null where no stage does."""
    stages: list[StageComparison]
    """Every stage of every cell that both have."""
    values: list[ValueDifference]
    """Values of the tables that differ."""

    def lines(self) -> Iterator[str]:
        """The comparison as text; nothing of others reaches a terminal raw."""
        yield from map(printable, self._lines())

    def _lines(self) -> Iterator[str]:
        yield f"comparison of {self.first} with {self.second}"
        for item in self.items:
            first, second = item.first or "not there", item.second or "not there"
            yield f"registration: {item.item}: {first} v {second}"
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
        yield "not compared: times, costs and report; audit each run for those"


def compare(first: Path, second: Path) -> Comparison:
    """Compare two results folders or archives; raises UserError where one cannot be read."""
    with opened(first) as ours, opened(second) as theirs:
        return _compare(
            read_run(ours), read_run(theirs), _name(first, second), _name(second, first)
        )


def _compare(ours: Run, theirs: Run, first: str, second: str) -> Comparison:
    mine, others = _cells(ours), _cells(theirs)
    only = [
        [cell for cell in mine if cell not in others],
        [cell for cell in others if cell not in mine],
    ]
    items = _items(ours, theirs)
    stages = [stage for cell in mine if cell in others for stage in _stages(cell, ours, theirs)]
    values = [
        _value(name, one)
        for name in TABLES
        for one in differences(_content(ours.results / name), _content(theirs.results / name))
    ]
    diverged = _diverged(stages)
    return Comparison(
        exit_code=1 if items or any(only) or any(diverged.values()) or values else 0,
        first=first,
        second=second,
        items=items,
        only_first=only[0],
        only_second=only[1],
        diverged=diverged,
        stages=stages,
        values=values,
    )


def _items(ours: Run, theirs: Run) -> list[ItemDifference]:
    """What the two runs found differently, in the order in which it reaches a result."""
    first, second = ours.record.items, theirs.record.items
    found = [
        ItemDifference(item=item, first=first.get(item), second=second.get(item))
        for item in first.keys() | second.keys()
        if first.get(item) != second.get(item)
    ]
    return sorted(found, key=lambda one: (_rank(one.item), one.item))


def _rank(item: str) -> int:
    kinds = ("config", "revision", "data", "questions", "plan", "environment", "file", "stage")
    kind = item.split("/", maxsplit=1)[0]
    return -1 if item == "config/seed" else kinds.index(kind) if kind in kinds else len(kinds)


def _diverged(stages: Sequence[StageComparison]) -> dict[str, Stage | None]:
    found: dict[str, Stage | None] = {}
    for one in stages:
        if found.get(one.cell) is None:
            found[one.cell] = one.stage if one.differing else None
    return found


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
