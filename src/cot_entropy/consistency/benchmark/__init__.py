"""60 labelled transcripts; `README.md` beside this file says who wrote them and what they lack."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from typing import Any, Literal

import rfc8785

from cot_entropy.base.errors import DataError
from cot_entropy.base.strict import Strict
from cot_entropy.consistency.judgement import Judgement
from cot_entropy.consistency.taxonomy import Label, Subtype
from cot_entropy.consistency.transcript import Transcript

SOURCE = "benchmark"
Domain = Literal["agentic", "mathematical"]
SplitName = Literal["dev", "test"]


class BenchmarkLabel(Strict):
    """What is known about one transcript. `parent` and `edit_site` are set for edits only."""

    id: str
    label: Label
    subtype: Subtype | None
    accepted: list[str]
    """Further labels or subtypes that count as right; borderline items only."""
    family: str
    parent: str | None
    edit_site: Literal["answer", "reasoning"] | None
    domain: Domain
    language: str
    hard_negative: str | None
    borderline: bool
    difficulty: Literal["easy", "medium", "hard"]
    reasoning_summary: str
    answer_summary: str
    disconnect: str
    split: SplitName

    def accepts(self, judgement: Judgement) -> bool:
        """Whether a judgement gives the label's outcome or an accepted alternative."""
        given = judgement.subtype or judgement.outcome
        return given in {self.subtype or self.label, *self.accepted}


class Frozen(Strict):
    """The registered content of the splits."""

    version: int
    dev_items: int
    test_items: int
    test_sha256: str


@cache
def load_transcripts() -> tuple[Transcript, ...]:
    """All transcripts in their shuffled order; `source` is `benchmark`."""
    return tuple(
        Transcript.model_validate({**row, "source": SOURCE}) for row in _rows("transcripts.jsonl")
    )


@cache
def load_labels() -> dict[str, BenchmarkLabel]:
    """The labels by id."""
    labels = [BenchmarkLabel.model_validate(row) for row in _rows("labels.jsonl")]
    return {label.id: label for label in labels}


def select(*, split: SplitName | Literal["all"]) -> list[Transcript]:
    """The transcripts of one split; raises DataError where the test split is not the frozen one."""
    if hash_of_test_split() != frozen().test_sha256:
        raise DataError(
            "benchmark: the test split differs from the hash in split.json; restore it, or give "
            "the changed benchmark a new version"
        )
    labels = load_labels()
    return [t for t in load_transcripts() if split in {"all", labels[t.id].split}]


def frozen() -> Frozen:
    """The registered sizes and hash."""
    return Frozen.model_validate_json(_read("split.json"))


def hash_of_test_split() -> str:
    """The hash of the test split's transcripts and labels, by id."""
    labels = load_labels()
    pairs: Sequence[Any] = [
        [transcript.model_dump(mode="json"), labels[transcript.id].model_dump(mode="json")]
        for transcript in sorted(load_transcripts(), key=lambda t: t.id)
        if labels[transcript.id].split == "test"
    ]
    return hashlib.sha256(rfc8785.dumps(list(pairs))).hexdigest()


def _read(name: str) -> bytes:
    return files(__package__).joinpath(name).read_bytes()


def _rows(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in _read(name).decode().splitlines() if line]
