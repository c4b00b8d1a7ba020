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

from cot_entropy.audit.audit_report import AuditReport, DeviationLine, EntryLine
from cot_entropy.audit.decoded import Decoding
from cot_entropy.audit.derive import Derivation, registered_trajectories
from cot_entropy.audit.established import Done, Established
from cot_entropy.audit.findings import Finding
from cot_entropy.audit.outside import Outside, outside
from cot_entropy.audit.registered import registration_findings
from cot_entropy.audit.run import Run, opened, read_run
from cot_entropy.audit.sampled import cell_errors
from cot_entropy.audit.stored_files import (
    generation_findings,
    manifest_findings,
    record_findings,
)
from cot_entropy.audit.table_diff import Value, read_csv
from cot_entropy.base.errors import UserError
from cot_entropy.base.files import sha256_file
from cot_entropy.registration.attempt_times import results_on, timing_problems
from cot_entropy.registration.departures import mixtures, run_standings
from cot_entropy.registration.departures import standings as standings_by
from cot_entropy.registration.provenance import FREEZE, PLAN, CellRecord
from cot_entropy.stats.row_status import Standings

Row = dict[str, Value]


def audit(
    results: Path,
    *,
    registered: Path | None = None,
    online: str | None = None,
    jobs: int = 2,
    regenerate: int = 0,
    draw: int | None = None,
    tokenizers: Sequence[Path] = (),
) -> AuditReport:
    """Audit a results folder, or an archive of one (unpacked into a scratch folder).

    `registered` is the auditor's own copy of what was registered, by which rows are judged: a plan,
    a freeze, a folder or a zip; by default the freeze of the working folder, if it has one for that
    plan. `online` is the address of OSF's API, to ask it again. `regenerate` questions of each
    cell are generated again with this machine's engine; `draw` repeats an earlier choice of them.
    `tokenizers` are folders with a tokenizer.json, beside those at hand. Raises UserError where
    the folder cannot be audited.
    """
    with opened(results) as folder:
        run = read_run(folder)
        found = outside(run, registered=registered, online=online)
        return _audit(run, found, jobs, regenerate, draw, tokenizers)


def _audit(  # noqa: PLR0917 (the options of the verb, passed on)
    run: Run,
    found: Outside,
    jobs: int,
    regenerate: int,
    draw: int | None,
    tokenizers: Sequence[Path],
) -> AuditReport:
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
        decoding = Decoding(results=results, study=run.record.configuration.study, given=tokenizers)
        findings = [
            *found.findings,
            *registration_findings(run),
            *manifest_findings(results, run.manifest),
            *(finding for cell in run.cells for finding in _cell_findings(run, cell)),
            *decoding.findings(run.cells),
            *derivation.findings(run.cells),
        ]
        again: list[str] = []
        if regenerate:
            findings += _regenerated(run, Path(scratch), regenerate, draw, again)
    if found.copy is not None:
        hashes = {path: sha256_file(path) for path in paths}
        standings = standings_by(found.registration, run.record, run.cells, hashes, results)
    done = Done(
        run=run, derivation=derivation, decoding=decoding, again=again, unshown=found.unshown
    )
    return _report(run, found, standings, findings, done.established())


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
    yield from generation_findings(run.results, cell, run.record.configuration.study)
    # with a freeze, those of the rows are departures from it
    kinds: tuple[Literal["rows", "baseline"], ...] = ("baseline",)
    if run.registration.freeze is None:
        kinds = ("rows", "baseline")
    for kind in kinds:
        late = timing_problems(cell, run.record, frozen_at=run.frozen_at, of=kind)
        for problem in (*mixtures(cell, run.record, of=kind), *late):
            yield Finding(check="generations", subject=cell.cell, detail=problem)


def _report(
    run: Run,
    found: Outside,
    standings: Standings,
    findings: Sequence[Finding],
    established: Established,
) -> AuditReport:
    frozen = run.registration.freeze
    judged, estimated = (_rows(run.results / name) for name in ("verdicts.csv", "estimates.csv"))
    rows = [row for row in (*judged, *estimated) if row.get("verdict") not in _ABSENT]
    confirmed = [row for row in rows if row.get("kind") == "confirmatory"]
    standing = [row for row in confirmed if _stands(standings, row)]
    demoted = sum("demoted: " in str(row.get("reason") or "") for row in rows)
    return AuditReport(
        exit_code=1 if any(one.declared is None for one in findings) else 0,
        results=run.results.name,
        freeze="frozen" if frozen else "not frozen",
        frozen_at=frozen.frozen_at if frozen else None,
        commit=frozen.commit if frozen else None,
        sha256=sha256_file(run.registration_folder / FREEZE) if frozen else None,
        replaced=frozen.replaced if frozen else [],
        registered=found.copy.name if found.copy else None,
        anchors=found.anchoring.lines,
        seed=found.anchoring.seed,
        ledger=[*found.ledger.attempts, *found.ledger.heads],
        confirmatory_rows=len(standing),
        demoted_rows=demoted + len(confirmed) - len(standing),
        findings=list(findings),
        deviations=list(_deviations(run)),
        errors=[one for cell in run.cells for one in cell_errors(cell, run.results)],
        entries=list(_entries(run, found, standings, judged, estimated)),
        established=established,
        side_by_side=found.judged.side_by_side,
    )


def _stands(standings: Standings, row: Row) -> bool:
    return standings.of(str(row.get("id")), str(row.get("cell"))).kind == "confirmatory"


def _deviations(run: Run) -> Iterator[DeviationLine]:
    frozen = run.registration.freeze.items if run.registration.freeze else {}
    results = results_on(run.cells)
    for one in run.registration.deviations.deviations:
        yield DeviationLine(
            id=one.id,
            item=one.item,
            frozen=frozen.get(one.item),
            found=one.found,
            when=one.when.isoformat(),
            results_seen=one.results_seen,
            results_known=one.after(results),
            what=one.what,
            why=one.why,
            expected_effect=one.expected_effect,
        )


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


def _rows(path: Path) -> list[Row]:
    """The rows of a table; none where it cannot be read, which is a finding of its own."""
    try:
        return list(read_csv(path).keyed().values())
    except UserError:
        return []
