"""A run against its freeze: what differs, which rows that touches, what is declared."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path
from typing import Literal

from cot_entropy.base.errors import PlanError
from cot_entropy.base.files import sha256_file
from cot_entropy.formats.records import Header
from cot_entropy.plan.load import LoadedPlan, load_plan
from cot_entropy.protocol.engine import differences
from cot_entropy.registration.anchors.check import study_seed
from cot_entropy.registration.attempt_times import results_on, timing_problems
from cot_entropy.registration.deviations import NONE_DECLARED, Deviations, load_deviations
from cot_entropy.registration.freeze import Freeze, load_freeze
from cot_entropy.registration.items import Items, canonical_sha256, decides, header_items, scope
from cot_entropy.registration.provenance import (
    BASELINE,
    DEVIATIONS,
    FOLDER,
    FREEZE,
    PLAN,
    REGISTRATION,
    RUN,
    CellRecord,
    RunRecord,
    cell_path,
    read_record,
)
from cot_entropy.stats.row_status import Departure, Standings

ANCHORED = canonical_sha256("anchored")
"""`config/seed` of a study whose seed nobody chooses."""
PER_CELL = (
    "config/models/",
    "config/datasets/",
    "revision/",
    "data/",
    "questions/",
    "environment/",
)
"""Items that a run may lack: a model that it does not have is not run."""


@dataclass(frozen=True, kw_only=True)
class Registered:
    """The registration that a run carries: plan, freeze if there is one, deviations."""

    plan: LoadedPlan
    freeze: Freeze | None
    deviations: Deviations
    anchored_seed: int | None = None
    """The seed that the freeze's anchor gives, where it says `seed: anchored`."""
    plan_alone: Items | None = None
    """A plan's items, where nothing but a plan was registered: config and code are then free."""

    @property
    def items(self) -> Items | None:
        """The registration, item by item; None where nothing was."""
        return self.freeze.items if self.freeze else self.plan_alone


def read_registration(folder: Path) -> Registered:
    """Read a registration folder; raises PlanError naming the file that cannot be used."""
    frozen = load_freeze(folder / FREEZE) if (folder / FREEZE).exists() else None
    declared = NONE_DECLARED
    if (folder / DEVIATIONS).exists():
        items = frozen.items if frozen else None
        day = frozen.frozen_on if frozen else None
        declared = load_deviations(folder / DEVIATIONS, frozen=items, frozen_on=day)
    try:
        plan = load_plan(folder / PLAN)
    except PlanError as error:
        raise PlanError(
            f"{error}; this run was registered with other code than is installed here: check out "
            "the version that made it (its code digests stand in provenance/run.json)"
        ) from None
    return Registered(
        plan=plan, freeze=frozen, deviations=declared, anchored_seed=study_seed(folder / FREEZE)
    )


def run_standings(results: Path, trajectories: Sequence[Path]) -> Standings:
    """The standing of every row that an analysis of these trajectories gives.

    Read from the provenance in `results`; where that is absent, nothing is confirmatory. Raises
    DataError or PlanError where it is there and cannot be read.
    """
    folder = results / FOLDER
    if not (folder / RUN).is_file():
        return Standings(registered={}, unverified="no provenance beside the trajectories")
    registration = read_registration(folder / REGISTRATION)
    run = read_record(folder / RUN, RunRecord)
    cells = [
        read_record(path, CellRecord)
        for cell in run.configuration.study.cells
        if (path := cell_path(results, cell)).is_file()
    ]
    return standings(
        registration, run, cells, {path: sha256_file(path) for path in trajectories}, results
    )


def standings(
    registration: Registered,
    run: RunRecord,
    cells: Sequence[CellRecord],
    trajectories: Mapping[Path, str],
    results: Path,
) -> Standings:
    """As `run_standings`, from what was read."""
    plan = registration.plan.plan
    sha256 = registration.plan.sha256
    registered = {one.id: plan.cells_of(one) for one in plan.hypotheses}
    frozen = registration.items
    if frozen is None:
        return Standings(
            registered=registered,
            unverified="no freeze.json beside the plan",
            plan_sha256=sha256,
        )
    departures = [
        *run_departures(frozen, run.items, registration, results=results_on(cells)),
        *(
            departure
            for cell in cells
            for departure in cell_departures(frozen, cell, run, registration)
        ),
    ]
    present = {cell.cell for cell in cells}
    departures = [
        *(one for one in departures if one.cells is None or present.intersection(one.cells)),
        *_unrecorded(cells, trajectories, results),
    ]
    return Standings(registered=registered, departures=tuple(departures), plan_sha256=sha256)


def run_departures(
    frozen: Items, found: Items, registration: Registered, *, results: date | None = None
) -> Iterator[Departure]:
    """The items of a whole run that are not as frozen.

    `results` is the day of its first results: a change of what decides, declared with results
    seen, excuses nothing.
    """
    for item in sorted(frozen.keys() | found.keys()):
        before, now = frozen.get(item), found.get(item)
        if before == now or (now is None and item.startswith(PER_CELL)):
            continue
        if registration.plan_alone is not None and not item.startswith("plan/"):
            continue
        entries, cells = scope(item, registration.plan.plan)
        found_now = _departure(item, before, now, registration, entries=entries, cells=cells)
        named = registration.deviations.naming(item, now)
        if named and decides(item, registration.plan.plan) and named.after(results):
            found_now = replace(found_now, too_late=True)
        yield found_now


def cell_departures(
    frozen: Items, cell: CellRecord, run: RunRecord, registration: Registered
) -> Iterator[Departure]:
    """What the headers of a cell's files say that is not as frozen, and mixtures of runs.

    What binds the plan's cells only (config, revisions, data, releases) is compared in those.
    """
    seen: set[tuple[str, str]] = set()
    for header in registered_headers(cell, run).values():
        for item, now in header_items(header).items():
            binding = item.startswith("stage/") or cell.cell in registration.plan.plan.cells
            before = frozen.get(item)
            if not binding or before is None or before == now or (item, now) in seen:
                continue
            if before == ANCHORED and header.study_seed == registration.anchored_seed:
                continue
            seen.add((item, now))
            yield _departure(item, before, now, registration, cells=(cell.cell,))
    since = registration.freeze.frozen_at if registration.freeze else None
    late = timing_problems(cell, run, frozen_at=since, of="rows")
    for problem in (*mixtures(cell, run, of="rows"), *late):
        item = f"cell/{cell.cell}"
        yield _departure(item, "one run", problem, registration, cells=(cell.cell,))


def registered_headers(cell: CellRecord, run: RunRecord) -> dict[str, Header]:
    """The headers of a cell's files under the study's own protocol, by stage."""
    names = run.configuration.protocols.protocols[run.configuration.study.protocol]
    chain, probe = f"{cell.cell}/{names.chain}", f"{cell.cell}/{names.chain}/{names.probe}"
    paths = {
        "chains": f"{chain}/chains.jsonl.zst",
        "prefixes": f"{probe}/prefixes.jsonl.zst",
        "completions": f"{probe}/completions.jsonl.zst",
    }
    return {stage: cell.headers[path] for stage, path in paths.items() if path in cell.headers}


def mixtures(cell: CellRecord, run: RunRecord, *, of: Literal["rows", "baseline"]) -> Iterator[str]:
    """Where the files of a cell cannot come from one run: engine, model, questions or inputs.

    Of the files that its rows rest on, or of the baseline's, which no row rests on.
    """
    headers = {
        path: header
        for path, header in cell.headers.items()
        if path.endswith(f"/{BASELINE}") == (of == "baseline")
    }
    for path, header in headers.items():
        stage = path.rsplit("/", 1)[-1].split(".")[0]
        if header.cell != cell.cell or header.stage != stage:
            yield f"{path} holds {header.stage} of {header.cell}"
        for role, sha256 in header.inputs.items():
            source = _input_path(path, role)
            if source in cell.files and cell.files[source] != sha256:
                yield f"{path} was made from other {role} than are there"
        recorded = run.items.get(f"stage/{header.stage}")
        if header.stage == "prefixes":
            recorded = run.prefixes_code.get(path.split("/")[-2], recorded)
        if header.code_digest != recorded:
            yield f"{path} was made by other code than the run's"
    for path, header in headers.items():
        first_path, first = next(iter(cell.headers.items()))
        for part in ("engine", "model", "dataset", "study_seed", "system_role"):
            if getattr(header.binding, part) != getattr(first.binding, part):
                yield f"{path} has another {part} than {first_path}"
    own = registered_headers(cell, run) if of == "rows" else headers
    mixed = differences(fill for header in own.values() for fill in header.fills)
    if mixed:
        yield f"{cell.cell} was generated with the device filled in several ways: {mixed}"


def _input_path(path: str, role: str) -> str:
    folder = path.rsplit("/", 1)[0]
    if role == "reference_chains":
        return f"{folder}/chains.jsonl.zst"
    if role == "chains":
        folder = folder.rsplit("/", 1)[0]
    return f"{folder}/{role}.jsonl.zst"


def _unrecorded(
    cells: Sequence[CellRecord], trajectories: Mapping[Path, str], results: Path
) -> Iterator[Departure]:
    known = {path: sha256 for cell in cells for path, sha256 in cell.files.items()}
    for path, sha256 in trajectories.items():
        inside = path.resolve().is_relative_to(results.resolve())
        name = path.resolve().relative_to(results.resolve()).as_posix() if inside else path.name
        if known.get(name) != sha256:
            cell = "/".join(name.split("/")[:2])
            yield Departure(
                item=f"cell/{cell}",
                frozen=known.get(name),
                found=sha256,
                cells=(cell,) if inside else None,
            )


def _departure(
    item: str,
    before: str | None,
    now: str | None,
    registration: Registered,
    *,
    entries: tuple[str, ...] | None = None,
    cells: tuple[str, ...] | None = None,
) -> Departure:
    named = registration.deviations.naming(item, now)
    return Departure(
        item=item,
        frozen=before,
        found=now,
        entries=entries,
        cells=cells,
        deviation=named.id if named else None,
    )
