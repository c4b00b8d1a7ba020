"""What an audit found: one line per difference, per deviation, per plan id, and what it proves."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

from cot_entropy.audit.established import Established
from cot_entropy.audit.findings import Finding
from cot_entropy.audit.sampled import Errors
from cot_entropy.base.printable import printable
from cot_entropy.base.strict import Strict
from cot_entropy.registration.freeze import Replaced


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


class DeviationLine(Strict):
    """One declared deviation, as its author wrote it, and what it was set against."""

    id: str
    item: str
    frozen: str | None
    """The frozen value; null where the freeze has no such item."""
    found: str | None
    """The value that it declares; null: removed."""
    when: str
    """The date that it gives."""
    results_seen: Literal["before", "after"]
    """What it says."""
    results_known: bool
    """Whether results were known, by what it says or by the run's own times."""
    what: str
    why: str
    expected_effect: str

    def __str__(self) -> str:
        known = f"{self.results_seen} results"
        if self.results_known and self.results_seen == "before":
            known += " as it says, though the run had some by then"
        return (
            f"deviation {self.id} of {self.when}, {known}: {self.item}: frozen "
            f"{self.frozen or 'not there'}, declared {self.found or 'removed'}: {self.what}"
        )


class AuditReport(Strict):
    """The whole audit, as `--json` prints it."""

    schema_version: Literal[1] = 1
    """Version of this format."""
    exit_code: Literal[0, 1]
    """0 where nothing differs or every difference is declared; 1 otherwise."""
    results: str
    """The folder or archive, by its name."""
    freeze: Literal["frozen", "not frozen"]
    """Whether the results hold a freeze."""
    frozen_at: str | None
    """UTC, as the freeze says."""
    commit: str | None
    """The commit that was frozen."""
    sha256: str | None
    """Of the freeze's bytes: the hash that others keep."""
    replaced: list[Replaced]
    """Every freeze that this one replaced, oldest first."""
    registered: str | None
    """The auditor's own copy that rows were judged by; null: the run's own registration."""
    anchors: list[str]
    """Words of others for the freeze: verified, a claim, or refuted."""
    seed: str
    """The origin of the study's seed."""
    ledger: list[str]
    """Attempts by file, and heads that were published."""
    confirmatory_rows: int
    """Rows of registered cells that the freeze vouches for."""
    demoted_rows: int
    """Rows of registered cells that something undeclared made exploratory."""
    findings: list[Finding]
    """Every difference, declared or not."""
    deviations: list[DeviationLine]
    """Every declared deviation."""
    errors: list[Errors]
    """Questions with an error in place of generations, by file."""
    entries: list[EntryLine]
    """One line per id of the plan."""
    established: Established
    """What holds where no difference is named, and what stays open."""
    side_by_side: str | None = None
    """The plan as text, to read beside a registration that no program can compare."""

    def lines(self) -> Iterator[str]:
        """The audit as text, the result first; nothing of others reaches a terminal raw."""
        yield from map(printable, self._lines())

    def _lines(self) -> Iterator[str]:
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
        if self.sha256:
            state += f", sha256 {self.sha256}"
        by = f"; rows are judged by {self.registered}" if self.registered else ""
        yield f"registration: {state}, {'' if self.anchors else 'un'}anchored{by}"
        yield from (f"anchor: {line}" for line in self.anchors)
        yield f"seed: {self.seed}"
        yield (
            f"rows: {self.confirmatory_rows} confirmatory, {self.demoted_rows} demoted by "
            "undeclared differences"
        )
        for one in self.replaced:
            yield (
                f"replaced freeze: {one.sha256} of {one.frozen_at}, commit {one.commit}: "
                f"{one.reason}"
            )
        yield from map(str, self.deviations)
        yield from map(str, self.findings)
        for file in self.errors:
            if file.errors:
                yield f"errors: {file.file}: {file.errors} of {file.questions} questions"
        yield from map(str, self.entries)
        yield from (f"ledger: {line}" for line in self.ledger)
        yield from self.established.lines()
        if self.side_by_side:
            yield from ("", "The plan of this run, in the order of OSF's template:", "")
            yield from self.side_by_side.splitlines()
