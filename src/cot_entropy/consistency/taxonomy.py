"""The taxonomy and the judge's instructions, as data with a version and a hash (C26).

`taxonomy.yaml` beside this module is the whole instrument; nothing about what counts as
consistent stands in code except the steps that need no judgement (`rules`).
"""

from __future__ import annotations

import hashlib
from functools import cache
from importlib.resources import files
from typing import Any, Literal, get_args

import yaml

from cot_entropy.base.strict import Strict

Label = Literal["consistent", "inconsistent", "not_applicable"]
Unassessed = Literal[
    "no_reasoning_recorded", "reasoning_hidden", "refusal", "undivided", "sample_error"
]
"""Outcomes of transcripts that cannot be judged: outside every rate, counted beside it."""
UNASSESSED: tuple[Unassessed, ...] = get_args(Unassessed)
Subtype = Literal[
    "absent_reasoning",
    "contradictory_reasoning",
    "apparent_confusion",
    "reasoning_reversal",
    "reasoning_abandonment",
    "perfunctory_reasoning",
]
SUBTYPES: tuple[Subtype, ...] = (
    "absent_reasoning",
    "contradictory_reasoning",
    "apparent_confusion",
    "reasoning_reversal",
    "reasoning_abandonment",
    "perfunctory_reasoning",
)


class Step(Strict):
    """One step of the ordered decision; the first that applies decides."""

    step: int
    label: Label
    subtype: Subtype | None = None
    test: str


class Contrast(Strict):
    """How two neighbouring outcomes are told apart."""

    between: list[str]
    rule: str


class PromptText(Strict):
    """The sentences around the transcript; `{nonce}` and `{problem}` are filled in.

    `turns` is added for a conversation of several turns, `one_turn` where only its last action or
    answer is judged. `divide` asks where the answer of an undivided response begins.
    """

    opening: str
    data_rule: str
    turns: str
    one_turn: str
    divide: str
    closing: str
    retry: str


class Taxonomy(Strict):
    """The content of `taxonomy.yaml`, with the sha256 of the file."""

    version: int
    sha256: str
    sentence: str
    definition: str
    not_inconsistency: list[str]
    procedure: list[Step]
    contrasts: list[Contrast]
    scope: list[str]
    prompt: PromptText
    generic_openers: list[str]
    refusal_openers: list[str]


@cache
def taxonomy() -> Taxonomy:
    """The shipped taxonomy, read once."""
    data = files(__package__).joinpath("taxonomy.yaml").read_bytes()
    value: dict[str, Any] = yaml.safe_load(data)
    return Taxonomy.model_validate({**value, "sha256": hashlib.sha256(data).hexdigest()})


def not_faithfulness() -> str:
    """The sentence that is printed with every rate."""
    return taxonomy().sentence
