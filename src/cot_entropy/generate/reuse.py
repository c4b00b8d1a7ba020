"""Completions that were already sampled, for a probe block that asks some of the same prefixes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path
from typing import Self

from cot_entropy.base.errors import DataError
from cot_entropy.base.files import sha256_file
from cot_entropy.formats.records import (
    CompletionRecord,
    Header,
    PrefixRecord,
    Sample,
    read_header,
    read_records,
)
from cot_entropy.protocol.probe import ProbeBlock


@dataclass(frozen=True)
class StoredQuestion:
    """One question's samples under the other block, and where its prefixes end, in tokens."""

    question_id: str
    ends: tuple[int, ...]
    prefixes: tuple[tuple[Sample, ...], ...]
    error: str | None

    def leading(self, k: int, end: int, *, m: int, budget: int) -> list[Sample]:
        """The first of m samples at prefix k that a budget would have given too, uncut.

        A sample answers for a larger budget only where it ended by itself. Empty where prefix k
        is not stored, or ends at another token.
        """
        if k >= len(self.prefixes) or self.ends[k] != end:
            return []
        found: list[Sample] = []
        for sample in self.prefixes[k][:m]:
            if sample.finish_reason == "length" and len(sample.token_ids) < budget:
                break
            found.append(sample)
        return found


@dataclass(frozen=True, kw_only=True)
class Stored:
    """The completions file of another probe block on the same chains."""

    completions: Path
    prefixes: Path
    header: Header
    sha256: str
    probe: ProbeBlock

    @classmethod
    def open(cls, completions: Path, prefixes: Path, *, chains_sha256: str) -> Self:
        """Check that both files belong to these chains and to each other; raises DataError."""
        header = read_header(completions)
        inputs, probe = header.inputs, header.probe
        if probe is None or inputs.get("chains") != chains_sha256:
            raise DataError(f"{completions}: sampled from other chains; sample them again")
        if inputs.get("prefixes") != sha256_file(prefixes):
            raise DataError(f"{completions}: sampled at other prefixes than {prefixes}")
        return cls(
            completions=completions,
            prefixes=prefixes,
            header=header,
            sha256=sha256_file(completions),
            probe=probe,
        )

    def questions(self) -> Iterator[StoredQuestion]:
        """The questions in order; raises DataError where the two files are not parallel."""
        pairs = zip_longest(
            read_records(self.prefixes, PrefixRecord),
            read_records(self.completions, CompletionRecord),
        )
        for where, found in pairs:
            if where is None or found is None or where.question_id != found.question_id:
                raise DataError(f"{self.completions}: not in the order of {self.prefixes}")
            yield StoredQuestion(
                question_id=found.question_id,
                ends=tuple(where.ends),
                prefixes=tuple(tuple(prefix.samples) for prefix in found.prefixes),
                error=found.error,
            )
