"""What the report is made from: the stage's job, and the files of one run as it finds them.

Required: the plan, the declared differences, `verdicts.csv`, `estimates.csv` and the trajectories
of each selected cell. Everything else may be absent; its section then says so.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from cot_entropy.errors import DataError
from cot_entropy.prereg.differences import Difference, load_differences
from cot_entropy.prereg.plan import LoadedPlan, load_plan
from cot_entropy.prereg.plan_model import Protocol
from cot_entropy.protocol.scoring import ScoringBlock
from cot_entropy.records import Header, read_header
from cot_entropy.report.rows import Row, Table, read_rows, read_table
from cot_entropy.stats.cells import Cell, read_cell
from cot_entropy.strict import Strict

OPTIONAL_TABLES = {
    "comparison": "comparison.csv",
    "sensitivity": "sensitivity.csv",
    "calibration": "calibration/calibration.csv",
    "power": "calibration/power.csv",
}
"""Tables that a run may lack, by name, with their place below results/<study>/."""


class Deviation(Strict):
    """One departure from the frozen plan, as deviations.yaml declares it."""

    what: str
    why: str
    known: str
    """Before or after results were seen."""


class Standing(Strict):
    """Where a run stands towards its registration, as the auditor found it."""

    freeze: Literal["matches", "differs", "not frozen", "unverified"] = "unverified"
    frozen_at: str = ""
    deviations: tuple[Deviation, ...] = ()
    undeclared: tuple[str, ...] = ()
    """Differences from the freeze that no deviation names, one line each."""


class ReportJob(Strict):
    """What a report depends on, beside its files."""

    study: str
    cells: tuple[str, ...]
    protocol: Protocol
    """Names of the blocks that the hypotheses are judged under: they are folder names."""
    scoring: ScoringBlock
    """Reads the five answers at each prefix from the stored completions."""
    standing: Standing | None = None
    code_digest: str = ""


@dataclass(frozen=True)
class CellFiles:
    """The files of one cell under one protocol."""

    chains: Path
    prefixes: Path
    completions: Path
    trajectories: Path


def cell_files(results: Path, cell: str, protocol: Protocol) -> CellFiles:
    """Where the files of one cell lie below results/<study>/."""
    chain = results.joinpath(*cell.split("/"), protocol.chain)
    probe = chain / protocol.probe
    return CellFiles(
        chains=chain / "chains.jsonl.zst",
        prefixes=probe / "prefixes.jsonl.zst",
        completions=probe / "completions.jsonl.zst",
        trajectories=probe / protocol.scoring / "trajectories.parquet",
    )


@dataclass(frozen=True, kw_only=True)
class ReportInputs:
    """Everything that a report shows, read and checked."""

    job: ReportJob
    results: Path
    plan: LoadedPlan
    differences: tuple[Difference, ...]
    verdicts: tuple[Row, ...]
    estimates: tuple[Row, ...]
    cells: dict[str, Cell]
    files: dict[str, CellFiles]
    headers: dict[str, Header]
    """Of each cell's completions; cells analysed without their generations have none."""
    tables: dict[str, Table]
    """Those of `OPTIONAL_TABLES` that are there."""

    @property
    def standing(self) -> Standing:
        """What the auditor found; unverified where nobody audited."""
        return self.job.standing or Standing()

    @property
    def scripted(self) -> tuple[str, ...]:
        """Cells whose tokens come from the scripted engine: no result of any model."""
        return tuple(c for c, h in self.headers.items() if h.engine.name == "scripted")

    @property
    def unregistered(self) -> tuple[str, ...]:
        """Cells that the plan does not name, such as the demo's."""
        return tuple(cell for cell in self.cells if cell not in self.plan.plan.cells)

    def of(self, entry_id: str, *, quantity: str | None = None) -> tuple[Row, ...]:
        """The estimates of one plan entry, in file order."""
        return tuple(
            row for row in self.estimates if row.id == entry_id and quantity in {None, row.quantity}
        )


def read_inputs(job: ReportJob, *, results: Path, plan: Path, differences: Path) -> ReportInputs:
    """Read a run; raises DataError or PlanError naming the file that cannot be used."""
    files = {cell: cell_files(results, cell, job.protocol) for cell in job.cells}
    cells = {}
    for name, paths in files.items():
        cells[name] = read_cell(paths.trajectories)
        if cells[name].name != name:
            raise DataError(
                f"{paths.trajectories}: holds cell `{cells[name].name}`, not `{name}`; score again"
            )
    return ReportInputs(
        job=job,
        results=results,
        plan=load_plan(plan),
        differences=load_differences(differences),
        verdicts=read_rows(results / "verdicts.csv"),
        estimates=read_rows(results / "estimates.csv"),
        cells=cells,
        files=files,
        headers={
            cell: read_header(paths.completions)
            for cell, paths in files.items()
            if paths.completions.exists()
        },
        tables={
            name: read_table(results / place)
            for name, place in OPTIONAL_TABLES.items()
            if (results / place).exists()
        },
    )
