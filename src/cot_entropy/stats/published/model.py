"""preregistration/published.yaml: the figures that the papers print, as strict models.

What a figure's counts imply (its interval, whether it follows from its study's other figures) is
stored beside it, since figures and counts never change; the tests compute it again.
"""

from __future__ import annotations

import math
from pathlib import Path
from typing import Annotated, Literal

from pydantic import AfterValidator, Field

from cot_entropy.base.errors import PlanError
from cot_entropy.base.located_yaml import read_located_yaml, validate_located
from cot_entropy.base.strict import Strict

Quantity = Literal[
    "accuracy_monotone_percent",
    "accuracy_non_monotone_percent",
    "flag_rate_percent",
    "accuracy_percent",
    "accuracy_gap_pp",
    "odds_ratio",
    "fisher_p",
    "rho_coherence",
    "rho_coherence_p",
    "rho_violations",
    "accuracy_0_violations_percent",
    "accuracy_1_violation_percent",
    "accuracy_2_violations_percent",
    "seed_gap_pp",
    "mean_seed_gap_pp",
    "two_transitions_gap_pp",
    "two_transitions_share_percent",
    "two_transitions_tokens_percent",
    "shape_flag_selective_gain_pp",
    "final_entropy_selective_gain_pp",
    "coherence_selective_gain_pp",
    "tokens_per_question",
    "self_consistency_tokens",
    "ece_step_0",
    "ece_step_7",
    "cells_won_by_final_entropy",
    "conditions_missing_the_null",
    "flag_rate_at_eps",
]
Matched = Literal["model", "dataset", "size", "protocol"]
Outcome = Literal["agrees", "differs", "not checkable"]


def _a_number(text: str) -> str:
    if not math.isfinite(float(text)):
        raise ValueError("not a finite number")
    return text


PrintedText = Annotated[
    str, Field(pattern=r"^-?[0-9]{1,9}(\.[0-9]{1,9})?$"), AfterValidator(_a_number)
]


Ends = Annotated[list[float], Field(min_length=2, max_length=2)]


class PaperSource(Strict):
    """A paper."""

    title: str = Field(min_length=1)
    arxiv: str = Field(pattern=r"^[0-9]{4}\.[0-9]{5}$")


class Ours(Strict):
    """The row of ours that measures the same, and the field of it.

    `share_correct`: n_correct / n of the row. `cells_above_zero`, `cells_below_zero`: the number
    of cells whose row lies on that side; `cells_missing_the_null`: of those whose row's reason
    does not say that the null holds. `pooled`: the mean of the cells' rows, weighted by their n.
    """

    id: str = Field(pattern=r"^[HE][1-9][0-9]*[a-z]?$")
    quantity: str = Field(min_length=1)
    mean_with: list[str] = Field(default_factory=list)
    """Further quantities: ours is the mean of all of them, undefined where one is."""
    field: Literal[
        "estimate",
        "p_value",
        "share_correct",
        "pooled",
        "cells_above_zero",
        "cells_below_zero",
        "cells_missing_the_null",
    ] = "estimate"
    times: int = Field(default=1, ge=1, le=100)


class Figure(Strict):
    """One printed number; `version` where only that version of the paper prints it."""

    quantity: Quantity
    printed: PrintedText
    to: PrintedText | None = None
    """The upper end, where the paper prints a range."""
    version: str = ""
    note: str = ""
    interval: Ends | None = None
    """From the counts that fit the print, the widest of theirs."""
    ours: Ours | None = None
    check: Outcome = "not checkable"
    """Whether it follows from the study's other figures."""
    implied: Ends | None = None
    """Least and greatest value that those allow."""
    check_note: str = ""
    """How it was checked."""


class Study(Strict):
    """The figures of one paper about one cell and sample."""

    id: str = Field(pattern=r"^[a-z0-9-]+$")
    source: str
    cell: str = Field(min_length=1)
    matched: list[Matched] = Field(min_length=1)
    """What of its design is that of the registered study."""
    n: int = Field(ge=4)
    figures: list[Figure] = Field(min_length=1)


class Published(Strict):
    """All that is set against ours."""

    schema_version: Literal[1]
    level: float = Field(gt=0.5, lt=1)
    """Coverage of the stored intervals."""
    sources: dict[str, PaperSource] = Field(min_length=1)
    studies: list[Study] = Field(min_length=1)


def load_published(path: Path) -> Published:
    """Read the file; raises PlanError naming file and line."""
    document = read_located_yaml(path, error=PlanError)
    published = validate_located(document, Published, error=PlanError)
    seen: set[str] = set()
    for index, study in enumerate(published.studies):
        if study.source not in published.sources:
            line = document.line(("studies", index, "source"))
            known = ", ".join(published.sources)
            raise PlanError(f"{path}:{line}: source `{study.source}` is not one of {known}")
        if study.id in seen:
            line = document.line(("studies", index, "id"))
            raise PlanError(f"{path}:{line}: study `{study.id}` stands twice")
        seen.add(study.id)
    return published
