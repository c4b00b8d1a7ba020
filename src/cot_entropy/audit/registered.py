"""What of plan, config, tables, locks and code is not as frozen, or not as the run recorded it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from cot_entropy.audit.copy_differences import described, found_values
from cot_entropy.audit.findings import Finding
from cot_entropy.audit.run import Run
from cot_entropy.registration.attempt_times import results_on
from cot_entropy.registration.departures import cell_departures, run_departures
from cot_entropy.registration.freeze import FILE
from cot_entropy.registration.items import Items, Values, code_items
from cot_entropy.registration.provenance import PLAN, run_items
from cot_entropy.stats.row_status import Departure


def registration_findings(run: Run) -> Iterator[Finding]:
    """What of plan, config, tables, locks and code is not as frozen, or not as recorded."""
    frozen = run.registration.freeze
    recorded = run.record.items
    for item, what in _misrecorded(run, recorded):
        yield Finding(check="registration", subject=item, detail=what)
    if frozen is None:
        yield Finding(check="registration", subject=FILE, detail="the run had no freeze")
        return
    found: dict[tuple[str, str | None], Departure] = {}
    for departure in _departures(run, frozen.items):
        found.setdefault((departure.item, departure.found), departure)
    values = found_values(run, run.registration.plan.plan)
    for departure in found.values():
        yield Finding(
            check="registration",
            subject=departure.item,
            detail=_described(departure, frozen.values, values),
            declared=departure.deviation,
        )


def _departures(run: Run, frozen: Items) -> Iterator[Departure]:
    """What differs from the freeze and concerns a cell of this run, or this audit's own code."""
    cells = {cell.cell for cell in run.cells}
    seen = results_on(run.cells)
    here = {**run.record.items, **_installed(run)}
    for items in (run.record.items, here):
        for departure in run_departures(frozen, items, run.registration, results=seen):
            if departure.cells is None or cells & set(departure.cells):
                yield departure
    for cell in run.cells:
        yield from cell_departures(frozen, cell, run.record, run.registration)


def _misrecorded(run: Run, recorded: Items) -> Iterator[tuple[str, str]]:
    """Items of run.json that are not those of the registration beside it."""
    folder = run.registration_folder
    again = run_items(run.record.configuration, folder / PLAN, folder)
    stages = {item for item in recorded if item.startswith("stage/")}
    for item in sorted(again.keys() | recorded.keys() - stages):
        if again.get(item) != recorded.get(item):
            yield item, "is not what run.json records for it"
    ours = _installed(run)
    for item in sorted(stages | ours.keys()):
        if ours.get(item) != recorded.get(item):
            yield item, "the code of this installation is not the run's; check out the run's commit"


def _installed(run: Run) -> Items:
    """The digests of this installation's code, for what the run was told."""
    return code_items(run.record.configuration, run.registration.plan.plan)


def _described(departure: Departure, frozen: Values, found: Sequence[Values]) -> str:
    if departure.item.startswith("cell/"):
        return str(departure.found)
    before = departure.frozen or "not there"
    now = departure.found or "not there"
    where = f" in {', '.join(departure.cells)}" if departure.cells else ""
    named = [
        f"{name}: {change}"
        for name, change in described(departure, frozen, found)
        if name != departure.item or departure.item in frozen
    ]
    values = f" ({'; '.join(named[:5])})" if named else ""
    return f"differs from the freeze{where}: frozen {before}, found {now}{values}"
