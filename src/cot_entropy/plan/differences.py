"""preregistration/differences.yaml: where this design differs from the papers, declared.

Each difference says when it was known, before or after results were seen, and which way it is
expected to move them. Source: ../shared/protocol.md section 2.
"""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from pydantic import Field

from cot_entropy.base.errors import PlanError
from cot_entropy.base.located_yaml import read_located_yaml, validate_located
from cot_entropy.base.strict import Strict
from cot_entropy.plan.exploratory import Source


class Difference(Strict):
    """One parameter as each paper has it and as we have it."""

    id: str = Field(pattern=r"^[a-z][a-z0-9_]*$")
    what: str = Field(min_length=1)
    z26: str = Field(min_length=1)
    r26: str = Field(min_length=1)
    ours: str = Field(min_length=1)
    source: Source
    known: Literal["before results", "after results"]
    expected_effect: str = Field(min_length=1)
    variants: tuple[str, ...] = Field(default=(), strict=False)


class Differences(Strict):
    """The whole table, in the order of the pipeline."""

    schema_version: Literal[1]
    differences: list[Difference] = Field(min_length=1)


def load_differences(path: Path) -> tuple[Difference, ...]:
    """Read the table; raises PlanError naming file and line."""
    document = read_located_yaml(path, error=PlanError)
    table = validate_located(document, Differences, error=PlanError)
    seen: set[str] = set()
    for index, difference in enumerate(table.differences):
        if difference.id in seen:
            line = document.line(("differences", index, "id"))
            raise PlanError(f"{path}:{line}: `{difference.id}` stands twice")
        seen.add(difference.id)
    return tuple(table.differences)
