"""The checks beside a run's files: the registered copy, the anchors, the ledger."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from cot_entropy.audit.anchored import Anchoring, anchoring
from cot_entropy.audit.copy_differences import against, copy_findings
from cot_entropy.audit.findings import Finding
from cot_entropy.audit.ledger import BEGUN_AGAIN, LedgerAudit, ledger_audit
from cot_entropy.audit.registered_copy import RegisteredCopy, read_copy
from cot_entropy.audit.run import Run
from cot_entropy.registration.departures import Registered
from cot_entropy.registration.provenance import FREEZE, PLAN
from cot_entropy.registration.register import document


@dataclass(frozen=True, kw_only=True)
class Judged:
    """The registration that rows are judged by, where that is not the run's own registration."""

    copy: RegisteredCopy | None = None
    findings: tuple[Finding, ...] = ()
    side_by_side: str | None = None


@dataclass(frozen=True, kw_only=True)
class Outside:
    """All that is checked of a run beside its files."""

    judged: Judged
    anchoring: Anchoring
    ledger: LedgerAudit
    registration: Registered
    """By this rows are judged: the auditor's copy where there is one, else the run's own."""

    @property
    def copy(self) -> RegisteredCopy | None:
        """The auditor's copy, where there is one."""
        return self.judged.copy

    @property
    def findings(self) -> list[Finding]:
        """All of them."""
        return [*self.judged.findings, *self.anchoring.findings, *self.ledger.findings]

    @property
    def unshown(self) -> list[str]:
        """What nobody can show who has no more than the run and the copy."""
        open_ones = [BEGUN_AGAIN, *self.anchoring.limits]
        if self.copy is not None and self.copy.freeze is None:
            open_ones.append(f"config, data and code: {self.copy.name} registers a plan alone")
        return open_ones


def outside(run: Run, *, registered: Path | None = None, online: str | None = None) -> Outside:
    """Check what stands beside a run's files; `registered` and `online` are those of `audit`."""
    judged = _judged(run, registered)
    return Outside(
        judged=judged,
        anchoring=anchoring(run, online=online),
        ledger=ledger_audit(run),
        registration=against(run, judged.copy) if judged.copy else run.registration,
    )


def _judged(run: Run, registered: Path | None) -> Judged:
    copy = registered or _own(run)
    if copy is None:
        return Judged()
    read = read_copy(copy)
    if read is not None:
        findings = tuple(copy_findings(run, read, times=registered is not None))
        return Judged(copy=read, findings=findings)
    detail = "is text that no program can compare: read it beside the plan below"
    return Judged(
        findings=(Finding(check="registered", subject=str(registered), detail=detail),),
        side_by_side=document(run.record.configuration, run.registration_folder / PLAN),
    )


def _own(run: Run) -> Path | None:
    """The freeze of that plan in the working folder; the path stands in the results."""
    inside = PurePosixPath(run.record.configuration.study.plan).parent / FREEZE
    safe = not inside.is_absolute() and ".." not in inside.parts
    return Path(inside) if safe and Path(inside).is_file() else None
