"""What a dataset is made of: questions with gold answers, and their one hash."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass

from cot_entropy.base.files import dump_line


@dataclass(frozen=True, slots=True)
class Question:
    """One benchmark item. `stratum` is its difficulty where the dataset states one."""

    id: str
    text: str
    gold: str
    stratum: str | None = None
    written: str | None = None
    """The gold as it came, where reading it as a number changed it."""


@dataclass(frozen=True, slots=True)
class Problem:
    """A generated question with its worked solution, one reasoning step per unit.

    The last unit states the answer, in the form that the registered extraction rule reads.
    """

    question: Question
    units: tuple[str, ...]

    @property
    def solution(self) -> str:
        """The units as one chain, separated by blank lines as the registered segmentation cuts."""
        return "\n\n".join(self.units)


def questions_sha256(questions: Iterable[Question]) -> str:
    """The sha256 over the questions as compact UTF-8 JSON lines `{"id","question","gold"}`."""
    digest = hashlib.sha256()
    for item in questions:
        gold = item.gold if item.written is None else item.written
        digest.update(dump_line({"id": item.id, "question": item.text, "gold": gold}))
    return digest.hexdigest()
