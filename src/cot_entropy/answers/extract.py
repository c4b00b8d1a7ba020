"""Which answer a text gives, under the rules of `extraction/` (protocol section 5).

All rules read the text after `folding.fold`, so that digits of any script count as digits.
"""

from __future__ import annotations

import re
from typing import Final

from cot_entropy.answers.folding import fold
from cot_entropy.answers.kinds import AnswerKind, ExtractionRule
from cot_entropy.protocol.names import EXTRACTIONS

_COMMAS: Final = re.compile(r"(?<![0-9])[0-9]++(?:,[0-9]++)++")
_GROUPED: Final = re.compile(r"[0-9]{1,3}(?:,[0-9]{3})+")
_PLAIN: Final = re.compile(r"-?[0-9.]+")


def extract(text: str, *, rule: ExtractionRule, kind: AnswerKind) -> str | None:
    """The answer that `text` gives under `rule`, or None where it gives none; never raises."""
    answer: str | None = EXTRACTIONS.load(rule).extract(fold(text), kind=kind)
    return answer


def is_cut_at_comma(
    text: str, answer: str | None, *, rule: ExtractionRule, kind: AnswerKind
) -> bool:
    """Whether `answer`, a number, is part of digits that commas join otherwise than in thousands.

    A decimal comma (`3,5` gives 5) and Indian grouping (`1,00,000` gives 00000) cannot be told
    from a list (`3,5,7`); true where the answer would be another without those commas.
    """
    if answer is None or not _PLAIN.fullmatch(answer):
        return False
    folded = fold(text)
    joined = _COMMAS.sub(
        lambda digits: digits[0] if _GROUPED.fullmatch(digits[0]) else digits[0].replace(",", ""),
        folded,
    )
    return joined != folded and extract(joined, rule=rule, kind=kind) != answer
