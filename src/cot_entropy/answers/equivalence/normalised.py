"""Equal normal forms, compared as strings; of kind `number`, `12.50` and `12.5` are one."""

from __future__ import annotations

from collections.abc import Sequence

from cot_entropy.answers.grading import Comparison
from cot_entropy.answers.kinds import AnswerKind
from cot_entropy.answers.normalise import normal_form


def compare(first: str, second: str, *, kind: AnswerKind) -> Comparison:
    """Whether the normal forms are equal."""
    return Comparison(same=normal_form(first, kind=kind) == normal_form(second, kind=kind))


def classes(distinct: Sequence[str], *, kind: AnswerKind) -> tuple[dict[str, str], int]:
    """Each answer's normal form names its class."""
    return {answer: normal_form(answer, kind=kind) for answer in distinct}, 0
