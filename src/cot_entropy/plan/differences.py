"""preregistration/differences.yaml: where this design differs from the papers, declared.

Each difference says when it was known, before or after results were seen, and which way it is
expected to move them. `settings` name the fields of the protocol blocks and of the engine that a
difference is about, with their registered values (`chain.budget: 1024`); `as_published` holds the
fields that are as R26 has them. Source: ../shared/protocol.md section 2.
"""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from pydantic import Field

from cot_entropy.base.errors import PlanError
from cot_entropy.base.located_yaml import read_located_yaml, validate_located
from cot_entropy.base.strict import Strict
from cot_entropy.plan.exploratory import Source

Setting = str | int | float | bool | None


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
    settings: dict[str, Setting] = Field(default_factory=dict)
    """Registered values of the configuration, by `<block>.<field>`."""


class Differences(Strict):
    """The whole table, in the order of the pipeline."""

    schema_version: Literal[1]
    as_published: dict[str, Setting] = Field(default_factory=dict)
    """What is as R26 has it: values of the configuration, by `<block>.<field>`."""
    differences: list[Difference] = Field(min_length=1)


def load_differences(path: Path) -> tuple[Difference, ...]:
    """The differences of the table; raises PlanError naming file and line."""
    return tuple(read_differences(path).differences)


def read_differences(path: Path) -> Differences:
    """Read the table; raises PlanError naming file and line."""
    document = read_located_yaml(path, error=PlanError)
    table = validate_located(document, Differences, error=PlanError)
    seen: set[str] = set()
    for index, difference in enumerate(table.differences):
        if difference.id in seen:
            line = document.line(("differences", index, "id"))
            raise PlanError(f"{path}:{line}: `{difference.id}` stands twice")
        seen.add(difference.id)
    return table
