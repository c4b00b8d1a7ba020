"""A run's ledger: whether it is one chain, says what the files say, and holds published heads."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from cot_entropy.audit.findings import Finding
from cot_entropy.audit.run import Run
from cot_entropy.base.errors import DataError, UserError
from cot_entropy.formats.ledger import (
    FIRST,
    LEDGER,
    Entry,
    attempts,
    line_sha256,
    parse,
    read_lines,
)
from cot_entropy.plan.model import Anchors
from cot_entropy.registration.anchors.check import believed
from cot_entropy.registration.anchors.rfc3161 import imprint, named_roots, verified
from cot_entropy.registration.anchors.store import Stored, stored
from cot_entropy.registration.provenance import FOLDER, CellRecord

BEGUN_AGAIN: Final = (
    "that no other run was made and thrown away together with its ledger: only a head that was "
    "published before generation shows that"
)


@dataclass(frozen=True, kw_only=True)
class LedgerAudit:
    """A ledger as an audit finds it."""

    findings: tuple[Finding, ...]
    attempts: tuple[str, ...]
    """The ledger's own times, a claim; then one line per generation file that was ever begun."""
    heads: tuple[str, ...]
    """Published heads, verified."""


def ledger_audit(run: Run) -> LedgerAudit:
    """Check the ledger of a run against itself, its manifest, its files and published heads."""
    path = run.results / LEDGER
    if not path.is_file():
        finding = _finding("is not there: nothing says which runs were made and given up")
        return LedgerAudit(findings=(finding,), attempts=(), heads=())
    findings: list[Finding] = []
    lines: list[bytes] = []
    entries: list[Entry] = []
    try:
        lines = read_lines(path)
        entries = [parse(line, f"line {n}") for n, line in enumerate(lines, start=1)]
    except DataError as error:
        findings.append(_finding(str(error).replace(f"{run.results}/", "")))
    if path.read_bytes()[-1:] != b"\n":
        findings.append(_finding("ends in half a line"))
    findings += _chain(lines, entries)
    head = line_sha256(lines[-1]) if lines else None
    if head != run.manifest.ledger_head:
        findings.append(_finding("its last line is not the head that manifest.json holds"))
    for cell in run.cells:
        findings += _files(cell, entries)
    findings += _gone(run, entries)
    heads: list[str] = []
    findings += _published(run, lines, heads)
    noted = (
        [f"from {entries[0].time} to {entries[-1].time}, by the author's clock"] if entries else []
    )
    return LedgerAudit(
        findings=tuple(findings),
        attempts=(*noted, *attempts(entries)),
        heads=tuple(heads),
    )


def _chain(lines: Sequence[bytes], entries: Sequence[Entry]) -> Iterator[Finding]:
    previous = FIRST
    for number, (line, entry) in enumerate(zip(lines, entries, strict=False), start=1):
        if entry.previous != previous or entry.number != number:
            yield _finding(f"line {number} does not follow the line before it")
        previous = line_sha256(line)


def _files(cell: CellRecord, entries: Sequence[Entry]) -> Iterator[Finding]:
    last = {entry.file: entry for entry in entries if entry.file is not None}
    for name, header in cell.headers.items():
        if header.stage == "prefixes":
            continue
        entry = last.get(name)
        if entry is None or entry.event != "end" or entry.sha256 != cell.files.get(name):
            yield _finding(f"does not end with {name} as it is")
        elif entry.work is None or (entry.work.cell, entry.work.seed, entry.work.code) != (
            header.cell,
            header.study_seed,
            header.code_digest,
        ):
            yield _finding(f"says another cell, seed or code of {name} than its header")


def _gone(run: Run, entries: Sequence[Entry]) -> Iterator[Finding]:
    """Files that the ledger holds whole, are not there, and nothing says why."""
    last = {entry.file: entry for entry in entries if entry.file is not None}
    for name, entry in last.items():
        if entry.event == "end" and name not in run.manifest.files:
            yield _finding(f"ends with {name}, which is not there: removed after the run")


def _published(run: Run, lines: Sequence[bytes], verified_heads: list[str]) -> Iterator[Finding]:
    freeze = run.registration.freeze
    try:
        tokens = stored(run.results / FOLDER)
        names = believed(freeze.values if freeze else {})
    except UserError as error:
        yield _finding(str(error).replace(f"{run.results}/", ""))
        return
    for token in tokens:
        try:
            verified_heads.append(_head(token, lines, names))
        except UserError as error:
            detail = str(error).replace(f"{run.results}/", "")
            yield Finding(
                check="ledger", subject=f"{FOLDER}/anchors/{token.path.name}", detail=detail
            )


def _head(token: Stored, lines: Sequence[bytes], names: Anchors) -> str:
    if token.kind != "rfc3161":
        raise DataError("is no timestamp; a ledger's head is dated by nothing else")
    response = token.read()
    over = imprint(response)
    for number, line in enumerate(lines, start=1):
        if line_sha256(line) == over:
            roots = named_roots([one.sha256 for one in names.timestamp_roots], token.root)
            found = verified(response, line, roots)
            return f"line {number} was published at {found.time:%Y-%m-%dT%H:%M:%SZ}"
    raise DataError(
        f"dates a head that is no line of this ledger ({over[:12]}): the ledger was begun again, "
        "or changed"
    )


def _finding(detail: str) -> Finding:
    return Finding(check="ledger", subject=LEDGER, detail=detail)
