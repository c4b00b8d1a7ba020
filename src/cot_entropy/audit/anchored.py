"""A run's anchors, verified again: what dates its freeze, what began before that, and its seed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path, PurePosixPath

from cot_entropy.audit.findings import Finding
from cot_entropy.audit.run import Run
from cot_entropy.base.errors import PlanError
from cot_entropy.registration.anchors.check import checked, dated, frozen_at
from cot_entropy.registration.anchors.store import Checked
from cot_entropy.registration.provenance import FREEZE, CellRecord

UNANCHORED = (
    "when the freeze was made: it is unanchored, nothing outside its own repository dates it (no "
    "verified RFC 3161 timestamp, and no registration that OSF was asked about)"
)
TRIES = (
    "how many freezes were timestamped before this one: a token that was thrown away leaves no "
    "trace here; a registration on OSF stays public"
)


@dataclass(frozen=True, kw_only=True)
class Anchoring:
    """The anchors of a run as an audit finds them."""

    anchors: tuple[Checked, ...]
    findings: tuple[Finding, ...]
    seed: str
    """The origin of the study's seed."""
    limits: tuple[str, ...]

    @property
    def lines(self) -> list[str]:
        """One line per anchor."""
        return [str(one) for one in self.anchors]


def anchoring(run: Run, *, online: str | None = None) -> Anchoring:
    """Verify every anchor of a run; `online` is the address of OSF's API, to ask it again."""
    if run.registration.freeze is None:
        return Anchoring(anchors=(), findings=(), seed=_seed(run, ()), limits=())
    path = run.registration_folder / FREEZE
    inside = PurePosixPath(run.record.configuration.study.plan).parent / FREEZE
    try:
        own = frozen_at(path, inside=str(inside))
        anchors = checked(own, repository=Path(), online=online)
    except PlanError as error:
        detail = str(error).replace(f"{run.results}/", "")
        finding = Finding(check="anchors", subject="anchors", detail=detail)
        return Anchoring(anchors=(), findings=(finding,), seed=_seed(run, ()), limits=(UNANCHORED,))
    when = dated(anchors)
    findings = [
        Finding(check="anchors", subject=one.name, detail=one.detail.replace(f"{run.results}/", ""))
        for one in anchors
        if one.state == "refuted"
    ]
    if when is not None:
        findings += _before(run.cells, when)
    limits = [] if when else [UNANCHORED]
    if any(one.kind == "rfc3161" for one in anchors):
        limits.append(TRIES)
    return Anchoring(
        anchors=tuple(anchors),
        findings=tuple(findings),
        seed=_seed(run, anchors),
        limits=tuple(limits),
    )


def _before(cells: Sequence[CellRecord], when: datetime) -> Iterator[Finding]:
    """Generations that began, by the author's own clock, before anybody vouched for the freeze."""
    for cell in cells:
        for name, attempts in cell.attempts.items():
            for attempt in attempts:
                started = _time(attempt.started)
                if started is None or started < when:
                    detail = (
                        f"began at {attempt.started} by the author's clock; the freeze is dated "
                        f"{when:%Y-%m-%dT%H:%M:%SZ}"
                    )
                    yield Finding(check="anchors", subject=name, detail=detail)


def _time(text: str) -> datetime | None:
    try:
        return datetime.fromisoformat(text).astimezone(UTC)
    except ValueError:
        return None


def _seed(run: Run, anchors: Sequence[Checked]) -> str:
    seed = run.record.configuration.study.seed
    if seed != "anchored":
        return (
            f"{seed}, freely chosen by the authors: how many were tried before registering, "
            "nobody can see"
        )
    derived = run.registration.anchored_seed
    if derived is None:
        return "anchored, and no anchor gives it"
    first = next(one for one in anchors if one.signed and one.state != "refuted")
    tokens = sum(bool(one.signed) for one in anchors)
    tries = f"; {tokens} of them lie here, each one a try" if tokens > 1 else ""
    return f"{derived}, derived again from the freeze and {first.name}{tries}"
