"""An answer against the gold, under an equivalence of `equivalence/`."""

from __future__ import annotations

from dataclasses import dataclass

from cot_entropy.answers.kinds import AnswerKind, Equivalence
from cot_entropy.protocol.names import EQUIVALENCES


@dataclass(frozen=True)
class Grade:
    """Whether an answer is right.

    `compared_as_strings`: the pair is over the registered limits, or math-verify cannot read it,
    so that normalised strings were compared.
    """

    correct: bool
    compared_as_strings: bool = False


@dataclass(frozen=True)
class Comparison:
    """The verdict on a pair.

    `differ_in_notes`: the cores are equal and the notes contradict each other (`5 cm`, `5 m`).
    """

    same: bool
    as_strings: bool = False
    differ_in_notes: bool = False


def grade_answer(
    answer: str | None, gold: str, *, equivalence: Equivalence, kind: AnswerKind
) -> Grade:
    """Grade one extracted answer against the gold answer; no answer is wrong."""
    if answer is None:
        return Grade(correct=False)
    found: Comparison = EQUIVALENCES.load(equivalence).compare(answer, gold, kind=kind)
    return Grade(correct=found.same, compared_as_strings=found.as_strings)
