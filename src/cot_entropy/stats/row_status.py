"""What a row may be called: confirmatory, or exploratory with the reason.

A row is confirmatory where its hypothesis and cell are registered, a freeze covers the run, and
whatever differs from the freeze in what the row rests on is named in deviations.yaml:

    nothing differs            confirmatory
    differs, named             confirmatory, marked with the deviation's id
    differs, not named         exploratory, `demoted: stage/score differs from the freeze`
    what decides it differs,   exploratory, `demoted: plan/H1 differs from the freeze (D1: results
    named, results seen        were known)`
    outside the plan's cells   exploratory, `not in the plan's cells`
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Final

from cot_entropy.stats.rows import Kind


@dataclass(frozen=True, kw_only=True)
class Departure:
    """One registered item whose value in this run is not the frozen one."""

    item: str
    """The item's name in freeze.json, such as `stage/score` or `plan/H1`."""
    frozen: str | None
    """Its frozen value; None where the freeze has no such item."""
    found: str | None
    """Its value in this run; None where the run has no such item."""
    entries: tuple[str, ...] | None = None
    """The plan ids that rest on it; None for all."""
    cells: tuple[str, ...] | None = None
    """The cells that rest on it; None for all."""
    deviation: str | None = None
    """The id in deviations.yaml that names it; None where nothing does."""
    too_late: bool = False
    """It changes what decides a verdict, with results seen: no declaration excuses it."""

    def touches(self, entry: str, cell: str) -> bool:
        """Whether a row of this plan id and cell rests on the item."""
        return (self.entries is None or entry in self.entries) and (
            self.cells is None or cell in self.cells
        )


@dataclass(frozen=True, kw_only=True)
class Standing:
    """What one row may be called, why not more, and the declared deviations that touch it."""

    kind: Kind
    reason: str = ""
    deviations: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Standings:
    """The standing of every row of a run."""

    registered: Mapping[str, tuple[str, ...]]
    """The cells of each hypothesis, by its id."""
    departures: tuple[Departure, ...] = ()
    unverified: str = ""
    """Why no row of this run can be confirmatory; empty where a freeze covers it."""
    plan_sha256: str = ""
    """The plan that the run recorded."""

    def under(self, plan_sha256: str) -> Standings:
        """These standings for an analysis by that plan: unverified if it is not the run's."""
        if self.unverified or plan_sha256 == self.plan_sha256:
            return self
        return replace(self, unverified="another plan than the one that the run recorded")

    def of(self, entry: str, cell: str) -> Standing:
        """The standing of the rows of one plan id in one cell; E1.. are always exploratory."""
        touching = [one for one in self.departures if one.touches(entry, cell)]
        named = tuple(dict.fromkeys(one.deviation for one in touching if one.deviation))
        if entry not in self.registered:
            reason = f"unverified: {self.unverified}" if self.unverified else ""
            return Standing(kind="exploratory", reason=reason, deviations=named)
        reason = self._reason(entry, cell, touching)
        kind: Kind = "exploratory" if reason else "confirmatory"
        return Standing(kind=kind, reason=reason, deviations=named)

    def _reason(self, entry: str, cell: str, touching: Iterable[Departure]) -> str:
        if cell not in self.registered[entry]:
            return "not in the plan's cells"
        if self.unverified:
            return f"unverified: {self.unverified}"
        undeclared = [one for one in touching if one.too_late or not one.deviation]
        items = list(dict.fromkeys(one.item for one in undeclared))
        if not items:
            return ""
        verb = "differs" if len(items) == 1 else "differ"
        late = [one.deviation for one in undeclared if one.too_late and one.deviation]
        known = f" ({', '.join(dict.fromkeys(late))}: results were known)" if late else ""
        return f"demoted: {', '.join(items)} {verb} from the freeze{known}"


UNVERIFIED: Final = Standings(registered={}, unverified="no matching freeze and provenance")
"""The standing of rows that nothing vouches for."""
