"""Golds as they are written: read once, and refused where no answer could equal them."""

from __future__ import annotations

import re
from fractions import Fraction
from typing import Final

from cot_entropy.answers.cores import Number
from cot_entropy.answers.extract import extract
from cot_entropy.answers.folding import fold
from cot_entropy.answers.grading import grade_answer
from cot_entropy.answers.kinds import AnswerKind, Equivalence, ExtractionRule
from cot_entropy.answers.normalise import decimal
from cot_entropy.answers.reading import read

SOLUTION_MARKER: Final = "####"
"""What stands before the gold in a GSM8K solution; no gold holds it."""

_FRACTION: Final = re.compile(r"/|\\[dtc]?frac|[\u00bc-\u00be\u2150-\u215e]")
_LOST_BACKSLASH: Final = re.compile(
    r"[\x07\x08\x0b\x0c](?=[a-z])"
    r"|\t(?:ext|imes|heta|frac|au|riangle|binom)(?![a-z])"
    r"|\r(?:ight|ho|angle|floor|ceil|m)(?![a-z])"
    r"|\n(?:eq|abla|eg|mid|leq|geq|otin|subseteq)(?![a-z])"
)
_ESCAPES: Final = {"\a": "a", "\b": "b", "\v": "v", "\f": "f", "\t": "t", "\r": "r", "\n": "n"}


def number_gold(text: str) -> str | None:
    """A gold of kind `number` as the shortest decimal that writes it (`$1,200.50` as `1200.5`).

    A sign, currency, grouped thousands, a power of ten, a unit and a name are read; None for
    fractions, numerals in a base, lists and all else that is not one integer or decimal.
    """
    reading = read(text.strip())
    if not isinstance(reading.core, Number) or reading.notes.base or _FRACTION.search(fold(text)):
        return None
    return _written(reading.core.value)


def read_gold(text: str, *, kind: AnswerKind) -> str:
    """The gold that answers are set against: numbers as `number_gold` reads them, others as is."""
    return (number_gold(text) or text) if kind == "number" else text


def can_be_answered(
    gold: str, *, kind: AnswerKind, extraction: ExtractionRule, equivalence: Equivalence
) -> bool:
    """Whether some text gives an answer that equals `gold` (as `read_gold` returns it).

    Tried are the texts that state it: in a box and behind a marker, as written and as a decimal.
    """
    if SOLUTION_MARKER in gold or lost_backslash(gold):
        return False
    statements = [f"\\boxed{{{gold}}}", f"#### {gold}"]
    if (plain := number_gold(gold) or _terminating(gold)) is not None:
        statements.append(f"#### {plain}")
    return any(
        grade_answer(
            extract(statement, rule=extraction, kind=kind),
            gold,
            equivalence=equivalence,
            kind=kind,
        ).correct
        for statement in statements
    )


def lost_backslash(text: str) -> str | None:
    r"""The escape that ate a LaTeX command's backslash: `\f` where `\frac` left a form feed."""
    found = _LOST_BACKSLASH.search(text)
    return None if found is None else f"\\{_ESCAPES[found[0][0]]}"


def _terminating(gold: str) -> str | None:
    core = read(gold).core
    return _written(core.value) if isinstance(core, Number) else None


def _written(value: Fraction) -> str | None:
    """The decimal of a fraction that has one."""
    places, rest = 0, value.denominator
    for prime in (2, 5):
        times = 0
        while rest % prime == 0:
            rest //= prime
            times += 1
        places = max(places, times)
    if rest != 1:
        return None
    digits = str(abs(value.numerator) * 10**places // value.denominator).rjust(places + 1, "0")
    sign = "-" if value < 0 else ""
    if not places:
        return sign + digits
    return decimal(f"{sign}{digits[:-places]}.{digits[-places:]}")
