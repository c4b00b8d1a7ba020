"""Z26's rule: the last integer or decimal, whatever the kind."""

from __future__ import annotations

from cot_entropy.answers.kinds import AnswerKind
from cot_entropy.answers.numbers import last_plain


def extract(text: str, *, kind: AnswerKind) -> str | None:
    """The last number, as it is written."""
    return last_plain(text)
