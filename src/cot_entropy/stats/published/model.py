"""preregistration/published.yaml: the figures that the papers print, as strict models."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Annotated, Literal

from pydantic import AfterValidator, Field

from cot_entropy.base.errors import PlanError
from cot_entropy.base.located_yaml import read_located_yaml, validate_located
from cot_entropy.base.strict import Strict
from cot_entropy.stats.published.implied import Printed

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
]
Design = Literal["matched", "pilot"]


def _a_number(text: str) -> str:
    if not math.isfinite(float(text)):
        raise ValueError("not a finite number")
    return text


PrintedText = Annotated[
    str, Field(pattern=r"^-?[0-9]{1,9}(\.[0-9]{1,9})?$"), AfterValidator(_a_number)
]


class PaperSource(Strict):
    """A paper."""

    title: str = Field(min_length=1)
    arxiv: str = Field(pattern=r"^[0-9]{4}\.[0-9]{5}$")


class Ours(Strict):
    """The row of ours that measures the same, and the field of it.

    `share_correct`: n_correct / n of the row. `cells_above_zero`, `cells_below_zero`: the number
    of cells whose row lies on that side.
    """

    id: str = Field(pattern=r"^[HE][1-9][0-9]*[a-z]?$")
    quantity: str = Field(min_length=1)
    field: Literal[
        "estimate", "p_value", "share_correct", "cells_above_zero", "cells_below_zero"
    ] = "estimate"
    times: int = Field(default=1, ge=1, le=100)


class Figure(Strict):
    """One printed number; `version` where only that version of the paper prints it."""

    quantity: Quantity
    printed: PrintedText
    version: str = ""
    note: str = ""
    ours: Ours | None = None

    @property
    def number(self) -> Printed:
        """The number with its rounding."""
        return Printed(self.printed)


class Study(Strict):
    """The figures of one paper about one cell and sample."""

    id: str = Field(pattern=r"^[a-z0-9-]+$")
    source: str
    cell: str = Field(min_length=1)
    design: Design
    n: int = Field(ge=4)
    figures: list[Figure] = Field(min_length=1)

    def all(self, quantity: Quantity) -> list[Printed]:
        """The figures of a quantity, in order."""
        return [figure.number for figure in self.figures if figure.quantity == quantity]

    def one(self, quantity: Quantity) -> Printed | None:
        """The first figure of a quantity; None where the paper prints none."""
        return next(iter(self.all(quantity)), None)


class Published(Strict):
    """All that is set against ours, matched designs and pilots."""

    schema_version: Literal[1]
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
