"""What the report is made from: the files of one run, as it finds them.

Required: the plan, the declared differences beside it, `verdicts.csv`, `estimates.csv` and at
least one cell's trajectories. Everything else may be absent; its section then says so.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from cot_entropy.errors import DataError
from cot_entropy.prereg.differences import Difference, load_differences
from cot_entropy.prereg.plan import LoadedPlan, load_plan
from cot_entropy.prereg.plan_model import Protocol
from cot_entropy.records import Header, read_header
from cot_entropy.report.registered import RegistrationState, registration_state, studied_protocol
from cot_entropy.report.rows import Row, Table, read_rows, read_table
from cot_entropy.stats.cells import Cell, read_cell

TABLES: Final[Mapping[str, str]] = {
    "comparison": "comparison.csv",
    "calibration": "calibration/calibration.csv",
    "coverage_map": "calibration/coverage_map.csv",
    "power": "calibration/power.csv",
    "detectable": "calibration/detectable.csv",
    "decidable": "calibration/decidable.csv",
}
"""Tables that a run may lack, with their place below results/<study>/, or beside the plan."""


@dataclass(frozen=True)
class CellFiles:
    """The files of one cell under one protocol."""

    chains: Path
    prefixes: Path
    completions: Path
    sensitivity: Path
    trajectories: Path

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
    tables: dict[str, Table]
    """Those of `TABLES` that are there."""
    sensitivity: tuple[Table, ...]
    """One table per cell that has one."""
    rates: tuple[Table, ...]
    """`rates.csv` of every consistency scan below consistency/."""

    @property
    def study(self) -> str:
        """The study's name: its results folder."""
        return self.results.name

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
        estimates=_estimates(results),
        cells=cells,
        files=files,
        headers={
            cell: tuple(read_header(path) for path in paths.generations if path.exists())
            for cell, paths in files.items()
        },
        tables={
            name: read_table(folder / place)
            for folder in (plan.parent, results)
            for name, place in TABLES.items()
            if (folder / place).exists()
        },
        rates=tuple(
            read_table(path) for path in sorted((results / "consistency").glob("**/rates.csv"))
        ),
        sensitivity=tuple(
            read_table(paths.sensitivity) for paths in files.values() if paths.sensitivity.exists()
        ),
    )


def _estimates(results: Path) -> tuple[Row, ...]:
    """The exploratory rows, those of the variants' table in place of what had to wait for it."""
    path = results / "variants.csv"
    varied = read_rows(path) if path.exists() else ()
    answered = {(row.id, row.cell) for row in varied}
    rows = read_rows(results / "estimates.csv")
    kept = (row for row in rows if row.verdict != "not run" or (row.id, row.cell) not in answered)
    return (*kept, *varied)


def _files(results: Path, protocol: Protocol, named: list[str]) -> dict[str, CellFiles]:
    """The cells that have trajectories, in the order of verdicts.csv, then any others by name."""
    pattern = f"*/*/{protocol.chain}/{protocol.probe}/{protocol.scoring}/trajectories.parquet"
    found = {"/".join(path.relative_to(results).parts[:2]) for path in results.glob(pattern)}
    ordered = [*dict.fromkeys(cell for cell in named if cell in found), *sorted(found - {*named})]
    if not ordered:
        raise DataError(f"{results}: no trajectories ({pattern}); score a cell first")
    return {cell: cell_files(results, cell, protocol) for cell in ordered}
