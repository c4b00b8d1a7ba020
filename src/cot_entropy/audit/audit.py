"""`cot-entropy audit RESULTS`: what was registered, what was run, what differs.

Everything is recomputed from the results folder alone: hashes, prefixes, trajectories, estimates,
verdicts and report. Exit code 0 where nothing differs or every difference is declared, 1
otherwise; what cannot be audited at all is a UserError (2).
"""

from __future__ import annotations

import secrets
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Literal

from cot_entropy.audit.derive import Derivation, registered_trajectories
from cot_entropy.audit.findings import AuditReport, EntryLine, Finding
from cot_entropy.audit.ledger import BEGUN_AGAIN
from cot_entropy.audit.outside import Outside, outside
from cot_entropy.audit.registered import registration_findings
from cot_entropy.audit.run import Run, opened, read_run
from cot_entropy.audit.stored_files import (
    generation_findings,
    manifest_findings,
    record_findings,
)
from cot_entropy.audit.table_diff import Value, read_csv
from cot_entropy.base.errors import UserError
from cot_entropy.base.files import sha256_file
from cot_entropy.registration.departures import mixtures, run_standings
from cot_entropy.registration.departures import standings as standings_by
from cot_entropy.registration.provenance import PLAN, CellRecord
from cot_entropy.stats.row_status import Standings

Row = dict[str, Value]

HAND_MADE = (
    "generations made up by hand with consistent hashes are not detectable without generating "
    "again: audit --regenerate N"
)

FEW_DRAWN = (
    "only the drawn questions were generated again; other hardware or another batch may change "
    "tokens without anybody's doing"
)


def audit(
    results: Path,
    *,
    registered: Path | None = None,
    online: str | None = None,
    jobs: int = 2,
    regenerate: int = 0,
    draw: int | None = None,
) -> AuditReport:
    """Audit a results folder, or an archive of one (unpacked into a scratch folder).

    `registered` is the auditor's own copy of what was registered, by which rows are judged: a plan,
    a freeze, a folder or a zip; by default the freeze of the working folder, if it has one for that
    plan. `online` is the address of OSF's API, to ask it again. `regenerate` questions of each
    cell are generated again with this machine's engine; `draw` repeats an earlier choice of them.
    Raises UserError where the folder cannot be audited.
    """
    with opened(results) as folder:
        run = read_run(folder)
        found = outside(run, registered=registered, online=online)
        return _audit(run, found, jobs, regenerate, draw)


def _audit(run: Run, found: Outside, jobs: int, regenerate: int, draw: int | None) -> AuditReport:
    results = run.results
    paths = registered_trajectories(run.record.configuration, results)
    standings = run_standings(results, paths)
    with tempfile.TemporaryDirectory(prefix="cot-entropy-audit-") as scratch:
        derivation = Derivation(
            results=results,
            scratch=Path(scratch),
            configuration=run.record.configuration,
            plan=run.registration_folder / PLAN,
            standings=standings,
            items=run.record.items,
            jobs=jobs,
        )
        findings = [
            *found.findings,
            *registration_findings(run),
            *manifest_findings(results, run.manifest),
            *(finding for cell in run.cells for finding in _cell_findings(run, cell)),
            *derivation.findings(run.cells),
        ]
        again: list[str] = []
        if regenerate:
            findings += _regenerated(run, Path(scratch), regenerate, draw, again)
    if found.copy is not None:
        hashes = {path: sha256_file(path) for path in paths}
        standings = standings_by(found.registration, run.record, run.cells, hashes, results)
    return _report(
        run, found, standings=standings, findings=findings, derivation=derivation, again=again
    )


def _regenerated(
    run: Run, scratch: Path, questions: int, draw: int | None, done: list[str]
) -> list[Finding]:
    # the engine's libraries take seconds to import, and most audits need none of them
    from cot_entropy.audit.regenerate import Regeneration  # noqa: PLC0415

    regeneration = Regeneration(
        results=run.results,
        scratch=scratch,
        record=run.record,
        questions=questions,
        seed=secrets.randbits(32) if draw is None else draw,
        done=done,
    )
    return list(regeneration.findings(run.cells))


def _cell_findings(run: Run, cell: CellRecord) -> Iterator[Finding]:
    yield from record_findings(run.results, cell)
    yield from generation_findings(run.results, cell)
    # with a freeze, those of the rows are departures from it
    kinds: tuple[Literal["rows", "baseline"], ...] = ("baseline",)
    if run.registration.freeze is None:
        kinds = ("rows", "baseline")
    for kind in kinds:
        for problem in mixtures(cell, run.record, of=kind):
            yield Finding(check="generations", subject=cell.cell, detail=problem)


def _report(
    run: Run,
    found: Outside,
    *,
    standings: Standings,
    findings: Sequence[Finding],
    derivation: Derivation,
    again: Sequence[str],
) -> AuditReport:
    frozen = run.registration.freeze
    judged, estimated = (_rows(run.results / name) for name in ("verdicts.csv", "estimates.csv"))
    rows = [row for row in (*judged, *estimated) if row.get("verdict") not in _ABSENT]
    by_hash = Counter(
        f"{top}/" if rest else top
        for name in run.manifest.files.keys() - set(derivation.derived) - _generations(run)
        for top, _, rest in [name.partition("/")]
        if top not in {"provenance", "inputs"}
    )
    copy = found.copy
    confirmed = [row for row in rows if row.get("kind") == "confirmatory"]
    standing = [row for row in confirmed if _stands(standings, row)]
    demoted = sum("demoted: " in str(row.get("reason") or "") for row in rows)
    limits = [
        FEW_DRAWN if again else HAND_MADE,
        BEGUN_AGAIN,
        *derivation.limits,
        *found.anchoring.limits,
    ]
    if copy is not None and copy.freeze is None:
        limits.append(f"config, data and code: {copy.name} registers a plan alone")
    if by_hash:
        counted = ", ".join(
            f"{count} files in {top}" if top.endswith("/") else top
            for top, count in sorted(by_hash.items())
        )
        limits.append(f"checked by hash only: {counted}")
    return AuditReport(
        results=run.results.name,
        freeze="frozen" if frozen else "not frozen",
        frozen_at=frozen.frozen_at if frozen else None,
        items_sha256=frozen.items_sha256 if frozen else None,
        registered=copy.name if copy else None,
        anchors=found.anchoring.lines,
        seed=found.anchoring.seed,
        ledger=[*found.ledger.attempts, *found.ledger.heads],
        confirmatory_rows=len(standing),
        demoted_rows=demoted + len(confirmed) - len(standing),
        findings=list(findings),
        entries=list(_entries(run, found, standings, judged, estimated)),
        checked=[
            f"{len(run.manifest.files)} files by hash",
            f"{len(run.cells)} cells by question, gold and seed",
            f"{len(derivation.derived)} files derived again from the stored generations",
            *again,
        ],
        limits=limits,
        side_by_side=found.judged.side_by_side,
    )


def _stands(standings: Standings, row: Row) -> bool:
    return standings.of(str(row.get("id")), str(row.get("cell"))).kind == "confirmatory"


def _entries(
    run: Run,
    found: Outside,
    standings: Standings,
    judged: Sequence[Row],
    estimated: Sequence[Row],
) -> Iterator[EntryLine]:
    plan, frozen = found.registration.plan.plan, found.registration.items
    for entry in plan.entries:
        decides = entry in plan.hypotheses
        rows, counted = (judged, "") if decides else (estimated, "numbers: ")
        own = [row for row in rows if row.get("id") == entry.id]
        cells = list(dict.fromkeys(str(row.get("cell")) for row in own))
        registered = set(plan.cells_of(entry))
        run_cells = {str(row.get("cell")) for row in own if row.get("verdict") not in _ABSENT}
        others = len(run_cells - registered)
        verdicts = Counter(str(row.get("verdict") or "estimated") for row in own)
        marks = [standings.of(entry.id, cell).deviations for cell in cells]
        item = f"plan/{entry.id}"
        changed = frozen is not None and frozen.get(item) != run.record.items.get(item)
        yield EntryLine(
            id=entry.id,
            registered="not frozen" if frozen is None else "changed" if changed else "as frozen",
            run=f"{len(run_cells & registered)} of {len(registered)} registered cells"
            + (f" and {others} exploratory" if others else ""),
            verdict=counted + ", ".join(f"{name} {count}" for name, count in verdicts.items())
            if verdicts
            else "no rows",
            deviations=list(dict.fromkeys(one for mark in marks for one in mark)),
        )


_ABSENT = frozenset({"not run", "failed"})


def _generations(run: Run) -> set[str]:
    return {name for cell in run.cells for name in cell.headers}


def _rows(path: Path) -> list[Row]:
    """The rows of a table; none where it cannot be read, which is a finding of its own."""
    try:
        return list(read_csv(path).keyed().values())
    except UserError:
        return []
