"""A run against the auditor's own copy of its registration: differences as values.

H1.bounds.threshold: 0 -> -90
config/seed: 1 -> 7
H3: registered -> not there
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from cot_entropy.audit.findings import Finding
from cot_entropy.audit.registered_copy import RegisteredCopy
from cot_entropy.audit.run import Run
from cot_entropy.base.errors import PlanError
from cot_entropy.base.located_yaml import read_located_yaml
from cot_entropy.plan.model import Plan
from cot_entropy.registration.departures import Registered, cell_departures, run_departures
from cot_entropy.registration.freeze import Freeze
from cot_entropy.registration.items import (
    Values,
    canonical_sha256,
    config_values,
    hashed,
    header_values,
    plan_values,
)
from cot_entropy.registration.provenance import PLAN
from cot_entropy.registration.value_differences import MISSING, item_differences, shown
from cot_entropy.stats.row_status import Departure


def against(run: Run, copy: RegisteredCopy) -> Registered:
    """The registration that rows stand by: the copy's, with the run's declared deviations."""
    return Registered(
        plan=copy.plan,
        freeze=copy.freeze,
        deviations=run.registration.deviations,
        anchored_seed=run.registration.anchored_seed,
        plan_alone=None if copy.freeze else hashed(copy.values),
    )


def copy_findings(run: Run, copy: RegisteredCopy, *, times: bool) -> Iterator[Finding]:
    """Every value of the copy that the run does not have, and the reverse.

    Where the run's own freeze holds the same items, what departs from it is found there.

    `times`: whether time, commit and replaced freezes are compared too.
    """
    own = run.registration.freeze
    if copy.freeze is None or own is None or copy.freeze.items_sha256 != own.items_sha256:
        yield from _value_findings(run, copy)
    if times and copy.freeze:
        yield from _times(copy.freeze, own)


def _value_findings(run: Run, copy: RegisteredCopy) -> Iterator[Finding]:
    registration = against(run, copy)
    items = registration.items or {}
    found = found_values(run, copy.plan.plan)
    seen: set[tuple[str, str | None]] = set()
    departures = [
        *run_departures(items, run.record.items, registration),
        *(
            one
            for cell in run.cells
            for one in cell_departures(items, cell, run.record, registration)
        ),
    ]
    cells = {cell.cell for cell in run.cells}
    for one in departures:
        concerned = one.cells is None or cells.intersection(one.cells)
        if not concerned or (one.item, one.found) in seen or one.item.startswith("cell/"):
            continue
        seen.add((one.item, one.found))
        for subject, detail in described(one, copy.values, found):
            yield Finding(
                check="registered", subject=subject, detail=detail, declared=one.deviation
            )


def _times(registered: Freeze, stored: Freeze | None) -> Iterator[Finding]:
    for key in ("frozen_at", "commit", "replaced"):
        before = getattr(registered, key)
        now = getattr(stored, key) if stored else None
        if before != now:
            detail = f"{shown(_plain(before))} -> {shown(_plain(now))}"
            yield Finding(check="registered", subject=f"freeze.{key}", detail=detail)


def _plain(value: Any) -> Any:
    if isinstance(value, list):
        return [one.model_dump(mode="json") for one in value]
    return MISSING if value is None else value


def found_values(run: Run, plan: Plan) -> list[Values]:
    """The values that the run was told, and those that the headers of its generations say."""
    written = read_located_yaml(run.registration_folder / PLAN, error=PlanError).value
    told = plan_values(written) | config_values(run.record.configuration, plan)
    headers = (header_values(one) for cell in run.cells for one in cell.headers.values())
    return [told, *headers]


def described(one: Departure, before: Values, found: Sequence[Values]) -> Iterator[tuple[str, str]]:
    """A departure by its values; by its hashes where it is code, a file or a hash itself."""
    for values in found:
        if hashed_value(values, one.item) == one.found:
            lines = list(item_differences(one.item, before, values))
            if lines:
                yield from lines
                return
    yield one.item, f"{one.frozen or MISSING} -> {one.found or MISSING}"


def hashed_value(values: Values, item: str) -> str | None:
    """The item that a value is registered as; None where there is none."""
    return canonical_sha256(values[item]) if item in values else None
