"""What an audit found: one finding per difference, one line per plan id, and its limits."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from typing import Literal

from cot_entropy.base.errors import UserError
from cot_entropy.base.strict import Strict

LOG = logging.getLogger(__name__)
Check = Literal[
    "registration",
    "registered",
    "anchors",
    "ledger",
    "files",
    "generations",
    "derivation",
    "regeneration",
    "comparison",
]


class Finding(Strict):
    """One difference."""

    check: Check
    subject: str
    """A registered item, a file below the results, or a cell."""
    detail: str
    declared: str | None = None
    """The deviation that names it; null where none does."""

    def __str__(self) -> str:
        mark = f"deviation {self.declared}" if self.declared else "difference"
        return f"{mark}: {self.subject}: {self.detail}"


def problem_of(derive: Callable[[], str]) -> str:
    """What `derive` finds; or why it could not be done.

    Stored records are anybody's: those that no code could have written stop code that trusts its
    own in any way, and are a difference all the same. Raises what is the machine's fault: a full
    disk, too little memory.
    """
    try:
        return derive()
    except UserError as error:
        return f"cannot be derived again: {error}"
    except Exception as error:
        if isinstance(error, MemoryError) or getattr(error, "errno", None):
            raise
        LOG.debug("deriving again", exc_info=True)
        return f"cannot be derived again: {type(error).__name__} ({error})"


class EntryLine(Strict):
    """One plan id: how it was registered, how much of it was run, and what came out."""

    id: str
    registered: Literal["as frozen", "changed", "not frozen"]
    run: str
    verdict: str
    deviations: list[str]

    def __str__(self) -> str:
        named = ", ".join(self.deviations) or "none"
        return (
            f"{self.id:<4} registered {self.registered:<10}  run {self.run}  "
            f"{self.verdict}  deviations: {named}"
        )


class AuditReport(Strict):
    """The whole audit; `exit_code` is 0 where every difference is declared, else 1."""

    results: str
    freeze: Literal["frozen", "not frozen"]
    frozen_at: str | None
    items_sha256: str | None
    registered: str | None
    """The auditor's own copy that rows were judged by; null: the run's own registration."""
    anchors: list[str]
    """Words of others for the freeze: verified, a claim, or refuted."""
    seed: str
    """The origin of the study's seed."""
    ledger: list[str]
    """Attempts by file, and heads that were published."""
    confirmatory_rows: int
    demoted_rows: int
    """Rows of registered cells that something undeclared made exploratory."""
    findings: list[Finding]
    entries: list[EntryLine]
    checked: list[str]
    """What was recomputed, in numbers."""
    limits: list[str]
    """What this audit cannot show."""
    side_by_side: str | None = None
    """The plan as text, to read beside a registration that no program can compare."""

    @property
    def exit_code(self) -> Literal[0, 1]:
        """0 where nothing differs or every difference is declared; 1 otherwise."""
        return 1 if any(finding.declared is None for finding in self.findings) else 0

    def lines(self) -> Iterator[str]:
        """The audit as text, the result first."""
        open_ones = [one for one in self.findings if one.declared is None]
        declared = len(self.findings) - len(open_ones)
        noun = "differences" if len(open_ones) > 1 else "difference"
        yield (
            f"audit of {self.results}: {len(open_ones) or 'no'} undeclared {noun}, "
            f"{declared} declared"
        )
        state = (
            f"frozen at {self.frozen_at}, by its author's clock" if self.frozen_at else "not frozen"
        )
        by = f"; rows are judged by {self.registered}" if self.registered else ""
        yield f"registration: {state}, {'' if self.anchors else 'un'}anchored{by}"
        yield from (f"anchor: {line}" for line in self.anchors)
        yield f"seed: {self.seed}"
        yield (
            f"rows: {self.confirmatory_rows} confirmatory, {self.demoted_rows} demoted by "
            "undeclared differences"
        )
        yield from map(str, self.findings)
        yield from map(str, self.entries)
        yield from (f"ledger: {line}" for line in self.ledger)
        yield from (f"checked: {line}" for line in self.checked)
        yield from (f"cannot show: {line}" for line in self.limits)
        if self.side_by_side:
            yield from ("", "The plan of this run, in the order of OSF's template:", "")
            yield from self.side_by_side.splitlines()
