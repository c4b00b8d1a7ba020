"""preregistration/deviations.yaml: what was changed after the freeze, declared.

    schema_version: 1
    deviations:
      - id: D1
        item: stage/score
        found: 5f0c...            # the value that the audit reports
        what: Answers in full-width digits are read as numbers.
        why: One model writes them; they were counted as no answer.
        when: "2026-12-03"
        results_seen: after
        expected_effect: Higher accuracy in one cell by under one point; gap unchanged.

A deviation names one item and the value it was changed to, so that it excuses that change and no
later one. `found: null` declares an item that was removed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date
from pathlib import Path
from typing import Annotated, Literal

from pydantic import BeforeValidator, Field

from cot_entropy.base.errors import PlanError
from cot_entropy.base.located_yaml import read_located_yaml, validate_located
from cot_entropy.base.strict import Strict

Text = Annotated[str, Field(min_length=1, max_length=4000)]


def _iso_date(value: object) -> object:
    return date.fromisoformat(value) if isinstance(value, str) else value


class Deviation(Strict):
    """One declared change of one registered item."""

    id: Annotated[str, Field(pattern=r"^D[1-9][0-9]*$")]
    """`D1` and on."""
    item: Annotated[str, Field(pattern=r"^[a-z]+/[\w./-]+$")]
    """The registered item, as the audit names it."""
    found: Annotated[str, Field(min_length=1)] | None
    """What it was changed to, as the audit prints it; null: removed."""
    what: Text
    """What was changed."""
    why: Text
    """Why."""
    when: Annotated[date, BeforeValidator(_iso_date)]
    """The date."""
    results_seen: Literal["before", "after"]
    """Whether results were known."""
    expected_effect: Text
    """How it should move the results."""

    def after(self, results: date | None) -> bool:
        """Whether results were known: it says so, or its date is later than theirs."""
        return self.results_seen == "after" or (results is not None and self.when > results)


class Deviations(Strict):
    """All deviations, in the order in which they were declared."""

    schema_version: Literal[1]
    """Version of this format."""
    deviations: list[Deviation]
    """In the order in which they were declared."""

    def naming(self, item: str, found: str | None) -> Deviation | None:
        """The deviation that declares this change of this item, if one does."""
        return next(
            (one for one in self.deviations if (one.item, one.found) == (item, found)), None
        )


NONE_DECLARED = Deviations(schema_version=1, deviations=[])


def load_deviations(
    path: Path, *, frozen: Mapping[str, str] | None = None, frozen_on: date | None = None
) -> Deviations:
    """Read the table; raises PlanError naming file and line.

    Given the frozen items, a deviation of an item that is neither frozen nor of a frozen kind is
    refused, so that a misspelt one does not lie there unused. So is one from before the day of
    the freeze: there was nothing yet to deviate from.
    """
    document = read_located_yaml(path, error=PlanError)
    table = validate_located(document, Deviations, error=PlanError)
    for index, deviation in enumerate(table.deviations):
        problem = _problem(deviation, table.deviations[:index], frozen)
        if problem is None and frozen_on is not None and deviation.when < frozen_on:
            problem = "when", f"`{deviation.when}` is before the freeze of {frozen_on} (UTC)"
        if problem:
            key, message = problem
            line = document.line(("deviations", index, key))
            raise PlanError(f"{path}:{line}: {message}")
    return table


def _problem(
    deviation: Deviation, earlier: Sequence[Deviation], frozen: Mapping[str, str] | None
) -> tuple[str, str] | None:
    if any(one.id == deviation.id for one in earlier):
        return "id", f"`{deviation.id}` stands twice"
    if any((one.item, one.found) == (deviation.item, deviation.found) for one in earlier):
        return "item", f"`{deviation.item}` with this value is declared twice"
    if frozen is None:
        return None
    kinds = {"cell", *(name.split("/")[0] for name in frozen)}
    if deviation.item not in frozen and deviation.item.split("/")[0] not in kinds:
        return "item", f"`{deviation.item}` is nothing that the freeze holds"
    if frozen.get(deviation.item) == deviation.found:
        return "found", f"`{deviation.item}` has this value in the freeze: nothing deviates"
    return None
