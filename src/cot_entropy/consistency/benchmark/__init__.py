"""Labelled transcripts in two versions; `v2/README.md` says who wrote them and what they lack.

A version never changes after its release, so that a recorded run can be read against the version it
was made on. An item that stands in both versions has the same id and the same text in both.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from functools import cache
from importlib.resources import files
from typing import Any, Literal, get_args

import rfc8785
from pydantic import Field

from cot_entropy.base.errors import DataError
from cot_entropy.base.strict import Strict
from cot_entropy.consistency.judgement import Judgement
from cot_entropy.consistency.taxonomy import Label, Subtype
from cot_entropy.consistency.transcript import Transcript

SOURCE = "benchmark"
Domain = Literal["agentic", "mathematical"]
SplitName = Literal["dev", "test"]
Version = Literal[1, 2]
NEWEST: Version = 2


class BenchmarkLabel(Strict):
    """What is known about one transcript. `parent` and `edit_site` are set for edits only."""

    id: str
    label: Label
    subtype: Subtype | None
    outcome: Literal["no_reasoning_recorded", "reasoning_hidden", "refusal"] | None = None
    """Why a `not_applicable` item is outside every rate, where it has an answer all the same."""
    accepted: list[str]
    """Further labels or subtypes that count as right; borderline items only."""
    family: str
    parent: str | None
    edit_site: Literal["answer", "reasoning"] | None
    domain: Domain
    language: str
    hard_negative: str | None
    kinds: list[str] = Field(default_factory=list)
    """What is special about it: `long_reasoning`, `tool_use`, `multi_turn` and the like."""
    borderline: bool
    difficulty: Literal["easy", "medium", "hard"]
    reasoning_summary: str
    answer_summary: str
    disconnect: str
    note: str = ""
    """What was planted, and how."""
    replaces: str | None = None
    """The item of the version before that this one stands for."""
    since: Version = 1
    """The version that brought the text."""
    split: SplitName

    def accepts(self, judgement: Judgement) -> bool:
        """Whether a judgement gives the label's outcome or an accepted alternative."""
        given = judgement.subtype or judgement.outcome
        return given in {self.subtype or self.label, self.outcome, *self.accepted}


class Frozen(Strict):
    """The registered content of a version."""

    version: Version
    dev_items: int
    test_items: int
    sha256: str
    """Of all transcripts and labels, see `hash_of`."""


@cache
def load_transcripts(version: Version = NEWEST) -> tuple[Transcript, ...]:
    """All transcripts in their shuffled order; `source` is `benchmark`."""
    return tuple(
        Transcript.model_validate({**row, "source": SOURCE})
        for row in _rows(version, "transcripts.jsonl")
    )


@cache
def load_labels(version: Version = NEWEST) -> dict[str, BenchmarkLabel]:
    """The labels by id."""
    labels = [BenchmarkLabel.model_validate(row) for row in _rows(version, "labels.jsonl")]
    return {label.id: label for label in labels}


def labels_for(ids: Iterable[str]) -> dict[str, BenchmarkLabel]:
    """The labels of the newest version that holds all these items.

    The newest where none does: the caller says which item is unknown.
    """
    wanted = set(ids)
    for version in sorted(get_args(Version), reverse=True):
        if wanted <= set(load_labels(version)):
            return load_labels(version)
    return load_labels()


def select(*, split: SplitName | Literal["all"], version: Version = NEWEST) -> list[Transcript]:
    """The transcripts of one split; raises DataError where the version is not the frozen one."""
    if hash_of(version) != frozen(version).sha256:
        raise DataError(
            f"benchmark: version {version} differs from the hash in its split.json; restore it, or "
            "give the changed benchmark a new version"
        )
    labels = load_labels(version)
    return [t for t in load_transcripts(version) if split in {"all", labels[t.id].split}]


def frozen(version: Version = NEWEST) -> Frozen:
    """The registered sizes and hash."""
    return Frozen.model_validate_json(_read(version, "split.json"))


def hash_of(version: Version) -> str:
    """The sha256 of the canonical JSON of both files' rows, each sorted by id."""
    rows = [
        sorted(_rows(version, name), key=lambda row: str(row["id"]))
        for name in ("transcripts.jsonl", "labels.jsonl")
    ]
    return hashlib.sha256(rfc8785.dumps(rows)).hexdigest()


def _read(version: Version, name: str) -> bytes:
    return files(__package__).joinpath(f"v{version}", name).read_bytes()


def _rows(version: Version, name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in _read(version, name).decode().splitlines() if line]
