"""Unicode spellings of digits, signs and symbols, folded to ASCII and LaTeX.

Every extraction rule reads `fold`ed text, so that a number is a number in any script; the
symbols of mathematics are folded only where answers are compared.
"""

from __future__ import annotations

import re
import sys
import unicodedata
from typing import Final

GROUP_SPACE: Final = "\u00a0"
"""What every space that groups digits (no-break, thin, narrow no-break, figure) folds to."""

_MINUS: Final = "\u2212\u2010\u2011\u2012\u2013\ufe63\u02d7"


def _characters() -> dict[int, str]:
    table = {
        code: str(unicodedata.decimal(chr(code)))
        for code in range(128, sys.maxunicode + 1)
        if unicodedata.category(chr(code)) == "Nd"
    }
    table |= {code: chr(code - 0xFEE0) for code in range(0xFF01, 0xFF5F)}
    table |= {ord(sign): "-" for sign in _MINUS}
    table |= {ord(space): GROUP_SPACE for space in "\u00a0\u2007\u2009\u202f"}
    table |= {ord("\u066b"): ".", ord("\u066c"): ",", ord("\u3000"): " "}
    return table


_CHARACTERS: Final = _characters()
_FRACTIONS: Final = re.compile("[\u00bc-\u00be\u2150-\u215e]")
_SUPERSCRIPTS: Final = {
    ord(sign): plain
    for sign, plain in zip(
        "\u2070\u00b9\u00b2\u00b3\u2074\u2075\u2076\u2077\u2078\u2079\u207a",
        "0123456789+",
        strict=True,
    )
}
_SUBSCRIPTS: Final = {0x2080 + digit: str(digit) for digit in range(10)}
_SUPER_RUN: Final = re.compile("[\u2070\u00b9\u00b2\u00b3\u2074-\u207b]+")
_SUB_RUN: Final = re.compile("[\u2080-\u2089]+")
_QUOTES: Final = (
    *(('"', '"'), ("\u201c", "\u201d"), ("\u2018", "\u2019"), ("\u00ab", "\u00bb")),
    *(("\u201e", "\u201c"), ("``", "''"), ("''", "''"), ("`", "'"), ("`", "`"), ("'", "'")),
)
_SYMBOLS: Final = str.maketrans(
    {
        "×": r"\times ",
        "·": r"\cdot ",
        "⋅": r"\cdot ",
        "÷": "/",
        "π": r"\pi ",
        "θ": r"\theta ",
        "√": r"\sqrt ",
        "∞": r"\infty ",
        "°": r"^\circ ",
        "≤": r"\le ",
        "⩽": r"\le ",
        "≥": r"\ge ",
        "⩾": r"\ge ",
        "≠": r"\ne ",
        "∪": r"\cup ",
        "∈": r"\in ",
        "±": r"\pm ",
    }
)


def fold(text: str) -> str:
    """Fold decimal digits of any script, full-width ASCII, minus signs and grouping spaces."""
    return text if text.isascii() else text.translate(_CHARACTERS)


def fold_fractions(text: str) -> str:
    """Write vulgar fraction characters as `a/b`, after a space where a digit stands before."""
    if text.isascii():
        return text
    return _FRACTIONS.sub(
        lambda match: " " + unicodedata.normalize("NFKC", match[0]).replace("\u2044", "/"), text
    )


def fold_symbols(text: str) -> str:
    """Fold as `fold` does, and write mathematical characters as LaTeX commands."""
    if text.isascii():
        return text
    text = _SUPER_RUN.sub(
        lambda match: f"^{{{match[0].translate(_SUPERSCRIPTS | {0x207B: '-'})}}}", text
    )
    text = _SUB_RUN.sub(lambda match: f"_{{{match[0].translate(_SUBSCRIPTS)}}}", text)
    return fold(fold_fractions(text)).translate(_SYMBOLS)


def unquoted(text: str) -> str:
    """Without the pair of quotation marks around the whole (`'42'`, `"42"`, and curly ones)."""
    for opening, closing in _QUOTES:
        inside = text[len(opening) : -len(closing)]
        if (
            text == opening + inside + closing
            and inside
            and not (opening in inside or closing in inside)
        ):
            return inside.strip()
    return text
