"""What the report is made from: the files of one run, as it finds them.

Required: the plan, the declared differences beside it, `verdicts.csv`, `estimates.csv` and at
least one cell's trajectories. Everything else may be absent; its section then says so.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from cot_entropy.base.errors import DataError
from cot_entropy.formats.records import Header, read_header
from cot_entropy.plan.differences import Difference, load_differences
from cot_entropy.plan.load import LoadedPlan, load_plan
from cot_entropy.plan.model import Protocol
from cot_entropy.report.calibration import Calibration, read_calibration
from cot_entropy.report.judges import Judge, read_judges
from cot_entropy.report.registered import RegistrationState, registration_state, studied_protocol
from cot_entropy.stats.cells import Cell, read_cell
from cot_entropy.stats.read_tables import Row, Table, read_rows, read_table
from cot_entropy.stats.replication.rows import ReplicationRow, read_replication


@dataclass(frozen=True)
class CellFiles:
    """The files of one cell under one protocol."""

    chains: Path
    prefixes: Path
    completions: Path
    sensitivity: Path
    trajectories: Path
    baseline: Path

    @property
    def generations(self) -> tuple[Path, Path]:
        """The files that an engine wrote."""
        return self.chains, self.completions


def cell_files(results: Path, cell: str, protocol: Protocol) -> CellFiles:
    """Where the files of one cell lie below results/<study>/."""
    chain = results.joinpath(*cell.split("/"), protocol.chain)
    probe = chain / protocol.probe
    return CellFiles(
        chains=chain / "chains.jsonl.zst",
        prefixes=probe / "prefixes.jsonl.zst",
        completions=probe / "completions.jsonl.zst",
        sensitivity=probe / "sensitivity.csv",
        trajectories=probe / protocol.scoring / "trajectories.parquet",
        baseline=chain / "self_consistency.csv",
    )


@dataclass(frozen=True, kw_only=True)
class ReportInputs:
    """Everything that a report shows, read and checked."""

    results: Path
    plan: LoadedPlan
    differences: tuple[Difference, ...]
    registration: RegistrationState
    verdicts: tuple[Row, ...]
    estimates: tuple[Row, ...]
    cells: dict[str, Cell]
    files: dict[str, CellFiles]
    headers: dict[str, tuple[Header, ...]]
    """Of each cell's chains and completions; a cell analysed without them has none."""
    comparison: Table | None
    """Published figures beside ours, where the run has them."""
    replication: tuple[ReplicationRow, ...]
    """Originals beside replications, and the cells together; empty where the plan has neither."""
    calibration: Calibration | None
    sensitivity: tuple[Table, ...]
    """One table per cell that has one."""
    judges: tuple[Judge, ...]
    """What each judge below consistency/ says, and how well it judges."""

    @property
    def study(self) -> str:
        """The study's name: as the run recorded it, else that of the results folder."""
        run = self.registration.run
        return run.configuration.study.study if run else self.results.name

    @property
    def scripted(self) -> tuple[str, ...]:
        """Cells whose tokens come from the scripted engine: no result of any model."""
        return tuple(
            cell
            for cell, headers in self.headers.items()
            if any(header.engine.name == "scripted" for header in headers)
        )

    @property
    def unregistered(self) -> tuple[str, ...]:
        """Cells that the plan does not name, such as the demo's."""
        return tuple(cell for cell in self.cells if cell not in self.plan.plan.cells)

    def of(self, entry_id: str) -> tuple[Row, ...]:
        """The estimates of one plan entry, in file order."""
        return tuple(row for row in self.estimates if row.id == entry_id)


def read_inputs(results: Path, *, plan: Path, differences: Path) -> ReportInputs:
    """Read a run; raises DataError or PlanError naming the file that cannot be used."""
    loaded = load_plan(plan)
    verdicts = read_rows(results / "verdicts.csv")
    files = _files(results, studied_protocol(results, loaded.plan), [row.cell for row in verdicts])
    comparison, replicated = results / "comparison.csv", results / "replication.csv"
    cells = {name: read_cell(paths.trajectories) for name, paths in files.items()}
    for name, cell in cells.items():
        if cell.name != name:
            path = files[name].trajectories
            raise DataError(f"{path}: holds cell `{cell.name}`, not `{name}`; score again")
    return ReportInputs(
        results=results,
        plan=loaded,
        differences=load_differences(differences),
        registration=registration_state(results, [paths.trajectories for paths in files.values()]),
        verdicts=verdicts,
        estimates=_estimates(results, files.values()),
        cells=cells,
        files=files,
        headers={
            cell: tuple(read_header(path) for path in paths.generations if path.exists())
            for cell, paths in files.items()
        },
        comparison=read_table(comparison) if comparison.exists() else None,
        replication=read_replication(replicated) if replicated.exists() else (),
        calibration=read_calibration(results, plan=plan),
        judges=read_judges(results),
        sensitivity=tuple(
            read_table(paths.sensitivity) for paths in files.values() if paths.sensitivity.exists()
        ),
    )


def _estimates(results: Path, files: Iterable[CellFiles]) -> tuple[Row, ...]:
    """The exploratory rows, those of later tables in place of what had to wait for them."""
    paths = [results / "variants.csv", *(one.baseline for one in files)]
    later = [row for path in paths if path.exists() for row in read_rows(path)]
    later += _judged(sorted((results / "consistency").glob("*/estimates.csv")))
    answered = {(row.id, row.cell) for row in later}
    varied = {(row.id, row.cell, row.quantity.partition("[")[0]) for row in later if row.variant}
    kept = (
        row
        for row in read_rows(results / "estimates.csv")
        if (row.verdict != "not run" or (row.id, row.cell) not in answered)
        and (row.id, row.cell, row.quantity) not in varied
    )
    return (*kept, *later)


def _judged(paths: Sequence[Path]) -> list[Row]:
    """The rows of every judge, the judge in the quantity where there are several."""
    rows = [(path.parent.name, row) for path in paths for row in read_rows(path)]
    if len(paths) < 2:
        return [row for _, row in rows]
    return [replace(row, quantity=f"{row.quantity} ({judge})") for judge, row in rows]


def _files(results: Path, protocol: Protocol, named: list[str]) -> dict[str, CellFiles]:
    """The cells that have trajectories, in the order of verdicts.csv, then any others by name."""
    pattern = f"*/*/{protocol.chain}/{protocol.probe}/{protocol.scoring}/trajectories.parquet"
    found = {"/".join(path.relative_to(results).parts[:2]) for path in results.glob(pattern)}
    ordered = [*dict.fromkeys(cell for cell in named if cell in found), *sorted(found - {*named})]
    if not ordered:
        raise DataError(f"{results}: no trajectories ({pattern}); score a cell first")
    return {cell: cell_files(results, cell, protocol) for cell in ordered}
