"""The registered rule (R26): for mathematics the last box, else the last number."""

from __future__ import annotations

from cot_entropy.answers.boxes import last_box
from cot_entropy.answers.kinds import AnswerKind
from cot_entropy.answers.numbers import last_plain, without_trailing_zero


def extract(text: str, *, kind: AnswerKind) -> str | None:
    """The content of the last `\\boxed{}` (math only), else the last number.

    Without currency signs, thousands separators and trailing `.0`.
    """
    if kind == "math" and (box := last_box(text).content) is not None:
        return box
    number = last_plain(text)
    return None if number is None else without_trailing_zero(number)
