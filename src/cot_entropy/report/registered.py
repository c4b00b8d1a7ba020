"""Where a run stands towards its registration, from the provenance beside it.

This is what the run itself recorded. Only an audit recomputes it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from cot_entropy.formats.ledger import attempts, read_ledger
from cot_entropy.plan.model import Plan, Protocol
from cot_entropy.registration.anchors.store import stored
from cot_entropy.registration.departures import Registered, read_registration, run_standings
from cot_entropy.registration.deviations import Deviation
from cot_entropy.registration.freeze import Freeze
from cot_entropy.registration.provenance import FOLDER, REGISTRATION, RUN, RunRecord, read_record
from cot_entropy.stats.row_status import Departure

State = Literal["matches", "differs", "not frozen", "unverified"]


@dataclass(frozen=True, kw_only=True)
class RegistrationState:
    """The freeze, what departs from it, and which departures are declared."""

    state: State
    reason: str = ""
    """Why nothing is confirmatory; empty where a freeze covers the run."""
    freeze: Freeze | None = None
    run: RunRecord | None = None
    deviations: tuple[Deviation, ...] = ()
    undeclared: tuple[Departure, ...] = ()
    anchors: tuple[str, ...] = ()
    """Files that vouch for the freeze, as they lie beside it."""
    seed: str = ""
    """The study's seed, and who chose it."""
    attempts: tuple[str, ...] = ()
    """What the ledger says of each generation file, abandoned attempts included."""


def registration_state(results: Path, trajectories: Sequence[Path]) -> RegistrationState:
    """Read the provenance of a run; raises DataError or PlanError where it cannot be read."""
    folder = results / FOLDER
    standings = run_standings(results, trajectories)
    if not (folder / RUN).is_file():
        return RegistrationState(state="unverified", reason=standings.unverified)
    registered: Registered = read_registration(folder / REGISTRATION)
    run = read_record(folder / RUN, RunRecord)
    undeclared = tuple(one for one in standings.departures if one.deviation is None)
    state: State = "differs" if undeclared else "matches"
    return RegistrationState(
        state=state if registered.freeze else "not frozen",
        reason=standings.unverified,
        freeze=registered.freeze,
        run=run,
        deviations=tuple(registered.deviations.deviations),
        undeclared=undeclared,
        anchors=tuple(one.path.name for one in stored(folder / REGISTRATION)),
        seed=_seed(run, registered),
        attempts=tuple(attempts(read_ledger(results))),
    )


def _seed(run: RunRecord, registered: Registered) -> str:
    seed = run.configuration.study.seed
    if seed == "anchored":
        return f"{registered.anchored_seed}, from what an authority signed"
    return f"{seed}, freely chosen"


def studied_protocol(results: Path, plan: Plan) -> Protocol:
    """The blocks that a run is judged under: those its record names, else the plan's."""
    path = results / FOLDER / RUN
    if not path.is_file():
        return plan.protocol
    run = read_record(path, RunRecord).configuration
    names = run.protocols.protocols[run.study.protocol]
    return Protocol(chain=names.chain, probe=names.probe, scoring=names.scoring)
