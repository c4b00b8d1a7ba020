"""Numbers as they are written: signs, currency, thousands separators, fractions, powers of ten.

`plain` numbers are integers and decimals, all that the rules of the papers know; `written`
numbers add what the `robust` rule reads as one number: `2 2/3`, `3/4`, `1.5e6`, `1.5 \\times 10^6`.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterator
from typing import Final

_SEPARATOR: Final = r"(?:,\\!\s?|,|\{,\}|\\[,;:]|\u00a0|')"
_DIGITS: Final = (
    rf"[0-9]{{1,3}}(?:{_SEPARATOR}[0-9]{{3}})+(?![0-9])(?:\.[0-9]+)?"
    r"|[0-9]{1,3}(?:\.[0-9]{3}){2,}(?![0-9])"
    r"|[0-9]+(?:\.[0-9]+)?"
    r"|(?<![\w.])\.[0-9]+"
)
_CURRENCY: Final = r"(?:\\?[$]|[€£¥₹₩₽])"
_SIGN: Final = rf"(?:(?<![\w)\]}}])-(?:{_CURRENCY})?)"
PLAIN: Final = re.compile(rf"(?P<sign>{_SIGN})?(?P<digits>{_DIGITS})")
WRITTEN: Final = re.compile(
    rf"(?P<sign>{_SIGN})?"
    r"(?:(?P<fraction>(?:[0-9]{1,9}\s?)?\\[dtc]?frac\{-?[0-9]{1,9}\}\{[0-9]{1,9}\})"
    rf"|(?P<digits>{_DIGITS})"
    r"(?P<tail>"
    r"[eE][-+]?[0-9]{1,4}(?![\w.])"
    r"|\s?(?:\\times|\\cdot|[x*×·])\s?10\^(?:\{-?[0-9]{1,4}\}|-?[0-9]{1,4})"
    r"|\s[0-9]{1,9}/[0-9]{1,9}(?![0-9/]|\.[0-9])"
    r"|/[0-9]{1,9}(?![0-9/]|\.[0-9])"
    r")?)"
)
_NOT_DIGITS: Final = re.compile(rf"{_SEPARATOR}|-|{_CURRENCY}")
_MANY_POINTS: Final = re.compile(r"\..*\.")
_TRAILING_ZERO: Final = re.compile(r"\.0+$")


def last_plain(text: str) -> str | None:
    """The last integer or decimal of folded text, without separators; None where there is none."""
    last = _last(PLAIN.finditer(text))
    return None if last is None else _clean(last)


def last_written(text: str) -> str | None:
    """The last number of folded text with its fraction or power of ten, without separators."""
    last = _last(WRITTEN.finditer(text))
    return None if last is None else clean_written(last)


def clean_written(match: re.Match[str]) -> str:
    """A `WRITTEN` match without currency, separators and trailing `.0`."""
    if match["fraction"]:
        return ("-" if match["sign"] else "") + match["fraction"]
    number = without_trailing_zero(_clean(match))
    return number + (match["tail"] or "")


def without_trailing_zero(number: str) -> str:
    """`18.00` as `18`, `.0` as `0`; other decimals as they are."""
    return _TRAILING_ZERO.sub("", number) or "0"


def grouped(text: str) -> str:
    """A text that is one `PLAIN` number, without its separators; others as they are."""
    found = PLAIN.fullmatch(text)
    return _clean(found) if found else text


def _last(matches: Iterator[re.Match[str]]) -> re.Match[str] | None:
    newest = deque(matches, maxlen=1)
    return newest.pop() if newest else None


def _digits(match: re.Match[str]) -> str:
    digits = _NOT_DIGITS.sub("", match["digits"])
    return digits.replace(".", "") if _MANY_POINTS.search(digits) else digits


def _clean(match: re.Match[str]) -> str:
    return ("-" if match["sign"] else "") + _digits(match)
