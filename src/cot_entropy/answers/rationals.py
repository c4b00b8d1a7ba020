r"""Rational numbers: `2\frac{1}{2}`, `2 1/2`, `1.5 \times 10^{6}`, `0.\overline{3}`, `1{,}000`."""

from __future__ import annotations

import re
from fractions import Fraction
from typing import Final

from cot_entropy.answers.limits import MAX_DIGITS
from cot_entropy.answers.numbers import grouped

_DECIMAL: Final = re.compile(r"[-+]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)")
_FRACTION: Final = re.compile(
    r"(?P<sign>[-+]?)\s*(?:(?P<whole>[0-9]+)(?:\s*(?=\\frac)|\s+(?=[0-9])))?"
    r"(?:\\frac\{\s*(?P<a>-?[0-9]+(?:\.[0-9]+)?)\s*\}\{\s*(?P<b>-?[0-9]+(?:\.[0-9]+)?)\s*\}"
    r"|(?P<c>[0-9]+)\s*/\s*(?P<d>[0-9]+))"
)
_POWER_OF_TEN: Final = re.compile(
    r"(?P<a>[-+]?[0-9]+(?:\.[0-9]+)?)\s*(?:[eE]|(?:\\times|\\cdot|[*x])\s*10\s*\^)"
    r"\s*\{?\s*(?P<n>[-+]?[0-9]{1,3})\s*\}?"
)
_REPEATING: Final = re.compile(
    r"(?P<sign>-?)(?P<whole>[0-9]*)\.(?P<head>[0-9]*)\\overline\{(?P<cycle>[0-9]+)\}"
)


def rational(text: str) -> Fraction | None:
    """The number that tidied LaTeX writes, a decimal being itself; None if it is no number."""
    if len(text) > 2 * MAX_DIGITS:
        return None
    text = grouped(text)
    if _DECIMAL.fullmatch(text):
        return Fraction(text.removesuffix("."))
    if fraction := _FRACTION.fullmatch(text):
        return _fraction(fraction)
    if power := _POWER_OF_TEN.fullmatch(text):
        return Fraction(power["a"]) * Fraction(10) ** int(power["n"])
    if repeating := _REPEATING.fullmatch(text):
        return _repeating(repeating)
    return None


def _fraction(found: re.Match[str]) -> Fraction | None:
    top, bottom = Fraction(found["a"] or found["c"]), Fraction(found["b"] or found["d"])
    if bottom == 0 or (found["whole"] and (top < 0 or bottom < 0)):
        return None
    value = Fraction(found["whole"] or 0) + top / bottom
    return -value if found["sign"] == "-" else value


def _repeating(found: re.Match[str]) -> Fraction:
    head, cycle = found["head"], found["cycle"]
    cycles = Fraction(int(cycle), (10 ** len(cycle) - 1) * 10 ** len(head))
    value = Fraction(f"{found['whole'] or 0}.{head}0") + cycles
    return -value if found["sign"] else value
