"""`cot-entropy audit RESULTS`: what was registered, what was run, what differs.

Everything is recomputed from the results folder alone: hashes, prefixes, trajectories, estimates
and verdicts. Exit code 0 where nothing differs or every difference is declared, 1 otherwise; what
cannot be audited at all is a UserError (2).
"""

from __future__ import annotations

import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from cot_entropy.errors import UserError
from cot_entropy.prereg.audit_derive import Derivation, registered_trajectories
from cot_entropy.prereg.audit_files import (
    generation_findings,
    manifest_findings,
    record_findings,
)
from cot_entropy.prereg.audit_report import AuditReport, EntryLine, Finding
from cot_entropy.prereg.check import (
    Registered,
    cell_departures,
    mixtures,
    read_registration,
    run_departures,
    run_standings,
)
from cot_entropy.prereg.freeze import FILE, load_freeze
from cot_entropy.prereg.provenance import (
    FOLDER,
    MANIFEST,
    PLAN,
    REGISTRATION,
    RUN,
    CellRecord,
    Manifest,
    RunRecord,
    cell_path,
    read_record,
    run_items,
)
from cot_entropy.prereg.registration import Items, code_items
from cot_entropy.prereg.standing import Departure, Standings
from cot_entropy.prereg.tables import Table, read_csv
from cot_entropy.prereg.unpack import unpack

HAND_MADE = (
    "generations made up by hand with consistent hashes are not detectable without generating "
    "again: audit --regenerate N"
)


@dataclass(frozen=True, kw_only=True)
class Run:
    """What a results folder says about itself."""

    results: Path
    registration: Registered
    record: RunRecord
    cells: tuple[CellRecord, ...]
    manifest: Manifest

    @property
    def registration_folder(self) -> Path:
        """The copies of the registered files."""
        return self.results / FOLDER / REGISTRATION


def read_run(results: Path) -> Run:
    """Read what a run wrote about itself; raises UserError where that cannot be audited."""
    folder = results / FOLDER
    record = read_record(folder / RUN, RunRecord)
    cells = [cell_path(results, cell) for cell in record.configuration.study.cells]
    return Run(
        results=results,
        registration=read_registration(folder / REGISTRATION),
        record=record,
        cells=tuple(read_record(path, CellRecord) for path in cells if path.is_file()),
        manifest=read_record(folder / MANIFEST, Manifest),
    )


def audit(results: Path, *, freeze: Path | None = None, jobs: int = 2) -> AuditReport:
    """Audit a results folder, or an archive of one (unpacked into a scratch folder).

    `freeze` is the auditor's own copy of freeze.json, compared with the one in the results; by
    default that of the project in the working folder, if it has one. Raises UserError where the
    folder cannot be audited.
    """
    if results.is_file():
        with tempfile.TemporaryDirectory(prefix="cot-entropy-archive-") as folder:
            unpacked = Path(folder) / results.stem
            unpack(results, unpacked)
            return audit(unpacked, freeze=freeze, jobs=jobs)
    run = read_run(results)
    standings = run_standings(results, registered_trajectories(run.record.configuration, results))
    with tempfile.TemporaryDirectory(prefix="cot-entropy-audit-") as scratch:
        derivation = Derivation(
            results=results,
            scratch=Path(scratch),
            configuration=run.record.configuration,
            plan=run.registration_folder / PLAN,
            standings=standings,
            jobs=jobs,
        )
        findings = [
            *registration_findings(run, freeze),
            *manifest_findings(results, run.manifest),
            *(finding for cell in run.cells for finding in _cell_findings(run, cell)),
            *derivation.findings(run.cells),
        ]
    return _report(run, standings, findings, derivation.derived)


def registration_findings(run: Run, own: Path | None = None) -> Iterator[Finding]:
    """What of plan, config, tables, locks and code is not as frozen, or not as recorded."""
    frozen = run.registration.freeze
    recorded = run.record.items
    for item, what in _misrecorded(run, recorded):
        yield Finding(check="registration", subject=item, detail=what)
    path = own or Path("preregistration") / FILE
    if own or path.is_file():
        ours = load_freeze(path)
        if frozen is None or ours.items_sha256 != frozen.items_sha256:
            detail = f"is not the freeze in {path}"
            yield Finding(
                check="registration", subject=f"{FOLDER}/{REGISTRATION}/{FILE}", detail=detail
            )
    if frozen is None:
        yield Finding(check="registration", subject=FILE, detail="the run had no freeze")
        return
    found: dict[tuple[str, str | None], Departure] = {}
    for departure in _departures(run, frozen.items):
        found.setdefault((departure.item, departure.found), departure)
    for departure in found.values():
        yield Finding(
            check="registration",
            subject=departure.item,
            detail=_described(departure),
            declared=departure.deviation,
        )


def _departures(run: Run, frozen: Items) -> Iterator[Departure]:
    """What differs from the freeze and concerns a cell of this run, or this audit's own code."""
    cells = {cell.cell for cell in run.cells}
    here = {**run.record.items, **code_items()}
    for items in (run.record.items, here):
        for departure in run_departures(frozen, items, run.registration):
            if departure.cells is None or cells & set(departure.cells):
                yield departure
    for cell in run.cells:
        yield from cell_departures(frozen, cell, run.record, run.registration)


def _misrecorded(run: Run, recorded: Items) -> Iterator[tuple[str, str]]:
    """Items of run.json that are not those of the registration beside it."""
    folder = run.registration_folder
    again = run_items(run.record.configuration, folder / PLAN, folder)
    stages = {item for item in recorded if item.startswith("stage/")}
    for item in sorted(again.keys() | recorded.keys() - stages):
        if again.get(item) != recorded.get(item):
            yield item, "is not what run.json records for it"
    ours = code_items()
    for item in sorted(stages | ours.keys()):
        if ours.get(item) != recorded.get(item):
            yield item, "the code of this installation is not the run's; check out the run's commit"


def _cell_findings(run: Run, cell: CellRecord) -> Iterator[Finding]:
    yield from record_findings(run.results, cell)
    yield from generation_findings(run.results, cell)
    if run.registration.freeze is None:
        for problem in mixtures(cell, run.record):
            yield Finding(check="generations", subject=cell.cell, detail=problem)


def _described(departure: Departure) -> str:
    if departure.item.startswith("cell/"):
        return str(departure.found)
    before = departure.frozen or "not there"
    now = departure.found or "not there"
    where = f" in {', '.join(departure.cells)}" if departure.cells else ""
    return f"differs from the freeze{where}: frozen {before}, found {now}"


def _report(
    run: Run, standings: Standings, findings: Sequence[Finding], derived: Sequence[str]
) -> AuditReport:
    frozen = run.registration.freeze
    tables = [_table(run.results / name) for name in ("verdicts.csv", "estimates.csv")]
    rows = [row for table in tables for row in table.keyed().values()]
    by_hash = sorted(run.manifest.files.keys() - set(derived) - _generations(run))
    limits = [HAND_MADE]
    if by_hash:
        limits.append(f"checked by hash only: {', '.join(by_hash)}")
    if frozen is None or frozen.anchor is None:
        limits.append(
            "unanchored: nothing outside its own repository shows when the freeze was made "
            "(no OSF DOI, signed tag or RFC 3161 timestamp)"
        )
    return AuditReport(
        results=run.results.name,
        freeze="frozen" if frozen else "not frozen",
        frozen_at=frozen.frozen_at if frozen else None,
        items_sha256=frozen.items_sha256 if frozen else None,
        anchor=f"{frozen.anchor.kind} {frozen.anchor.value}" if frozen and frozen.anchor else None,
        confirmatory_rows=sum(row.get("kind") == "confirmatory" for row in rows),
        demoted_rows=sum("demoted: " in str(row.get("reason") or "") for row in rows),
        findings=list(findings),
        entries=list(_entries(run, standings, rows)),
        checked=[
            f"{len(run.manifest.files)} files by hash",
            f"{len(run.cells)} cells by question, gold and seed",
            f"{len(derived)} files derived again from the stored generations",
        ],
        limits=limits,
    )


def _entries(
    run: Run, standings: Standings, rows: Sequence[dict[str, object]]
) -> Iterator[EntryLine]:
    plan = run.registration.plan.plan
    frozen = run.registration.freeze
    for entry in (*plan.hypotheses, *plan.exploratory):
        own = [row for row in rows if row.get("id") == entry.id]
        cells = list(dict.fromkeys(str(row.get("cell")) for row in own))
        run_cells = {str(row.get("cell")) for row in own if row.get("verdict") not in _ABSENT}
        verdicts = Counter(str(row.get("verdict")) for row in own if row.get("verdict"))
        marks = [standings.of(entry.id, cell).deviations for cell in cells]
        item = f"plan/{entry.id}"
        changed = frozen is not None and frozen.items.get(item) != run.record.items.get(item)
        yield EntryLine(
            id=entry.id,
            registered="not frozen" if frozen is None else "changed" if changed else "as frozen",
            run=f"{len(run_cells)} of {len(cells)} cells",
            verdict=", ".join(f"{name} {count}" for name, count in verdicts.items())
            or f"{len(own)} rows",
            deviations=list(dict.fromkeys(one for mark in marks for one in mark)),
        )


_ABSENT = frozenset({"not run", "failed"})


def _generations(run: Run) -> set[str]:
    return {name for cell in run.cells for name in cell.headers}


def _table(path: Path) -> Table:
    try:
        return read_csv(path)
    except UserError:
        return Table((), ())
