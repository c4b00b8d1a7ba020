r"""The sides of what an answer states: `x = 2 + 3 = 5` is one value, `x = 5 \text{ or } x = 2` two.

Both equivalences drop the name of a value. They may only where one value is named: in a list
(`x = 1 \text{ or } x = 2`) or inside a formula (`\sum_{k=1}^{n} k`) the right-hand side is not
the answer.
"""

from __future__ import annotations

import re
from typing import Final

GREEK: Final = (
    r"\\(?:(?:var)?(?:epsilon|theta|phi|rho|sigma|pi)|alpha|beta|gamma|delta|zeta|eta|iota|kappa"
    r"|lambda|mu|nu|xi|tau|upsilon|chi|psi|omega|Gamma|Delta|Theta|Lambda|Xi|Pi|Sigma|Phi|Psi"
    r"|Omega|ell)(?![A-Za-z])"
)
_ROUND: Final = r"\s?\([A-Za-z0-9, ]+\)"
NAME: Final = rf"(?:{GREEK}|[A-Za-z]+)(?:\s?_(?:\{{\w+\}}|\w))?'*+(?:{_ROUND})?"
"""A variable, a word or a function's value; no command but Greek letters, no operator."""

EQUALS: Final = re.compile(r"(?<![<>!~])(?<!\\not)(?<!\\not )=+(?![<>~])")
RELATION: Final = re.compile(
    r"[<>=\u2260\u2264\u2265\u2248\u2261]"
    r"|\\(?:n?[lg]e(?:q|qq|qslant)?|[lg]t|ne|neq|not|approx|sim|simeq|cong|equiv|propto|in|notin"
    r"|to|mapsto|implies|iff|[lL]eft(?:right)?arrow|[rR]ightarrow|Longrightarrow|subset(?:eq)?"
    r"|mid|nmid|parallel|perp|pmod|bmod)(?![A-Za-z])"
)
_WORD: Final = re.compile(r"(?<![A-Za-z\\])[A-Za-z]{2,}|\\[A-Za-z]+")
_SILENT: Final = frozenset(
    (
        *(r"\frac", r"\dfrac", r"\tfrac", r"\cfrac", r"\sqrt", r"\cdot", r"\times", r"\div"),
        *(r"\left", r"\right", r"\binom", r"\pm", r"\mp", r"\circ", r"\infty", r"\ast"),
        *(r"\sin", r"\cos", r"\tan", r"\cot", r"\sec", r"\csc", r"\arcsin", r"\arccos"),
        *(r"\arctan", r"\log", r"\ln", r"\exp", r"\lfloor", r"\rfloor", r"\lceil", r"\rceil"),
        *(r"\overline", r"\displaystyle", r"\degree", r"\big", r"\Big", r"\dollar", r"\boxed"),
        *("sin", "cos", "tan", "cot", "sec", "csc", "log", "ln", "exp", "sqrt", "frac"),
    )
)
_SHORT_WORDS: Final = frozenset(
    (
        *("or", "and", "if", "so", "to", "as", "is", "et", "ou", "en", "un", "at", "by", "in"),
        *("on", "no", "we", "it", "of", "xor", "oder", "und", "bzw", "vel"),
    )
)
_GREEK: Final = re.compile(GREEK)
_JOINT: Final = re.compile(r"[,;:&$\u3001\n]|\\\\|[^\W\d_a-zA-Z\u0370-\u03ff]")
_SPACED_NAME: Final = re.compile(rf"(?:[\s~/|]|\\[,;:> !])\s*+{NAME}\s*+\Z")
_OPERATOR_AT_END: Final = re.compile(
    r"(?:[-+*^(]|\\(?:cdot|times|div|[pm]{2}|ast|frac|sqrt|sin|cos|tan|log|ln|left|binom))\Z"
)
_LAST: Final = 64
_OPENING: Final = "([{"
_CLOSING: Final = ")]}"


def split_outside(text: str, separator: re.Pattern[str]) -> list[str]:
    """Split at matches of `separator` outside all brackets; the parts as they stand."""
    parts, start, depth, position = [], 0, 0, 0
    for found in separator.finditer(text):
        for character in text[position : found.start()]:
            depth += (character in _OPENING) - (character in _CLOSING and depth > 0)
        position = found.start()
        if depth == 0:
            parts.append(text[start : found.start()])
            start = position = found.end()
    return [*parts, text[start:]]


def states_more(side: str) -> bool:
    """Whether a side of a chain of equations may hold more than one value.

    So do a separator, a word, a command that is no arithmetic, and a name behind a space:
    `5 x` between two equals signs may end one equation and begin the next.
    """
    if _JOINT.search(side) or side.count("|") % 2:
        return True
    tail = side[-_LAST:]
    if (found := _SPACED_NAME.search(tail)) and (before := tail[: found.start()].rstrip()):
        return not _OPERATOR_AT_END.search(before)
    return not all(map(_is_arithmetic, _WORD.findall(side)))


def _is_arithmetic(word: str) -> bool:
    """A command or function of arithmetic, a Greek letter, or letters that are multiplied."""
    if word in _SILENT or _GREEK.fullmatch(word):
        return True
    product = word.isupper() or len(word) == 2
    return product and word.lower() not in _SHORT_WORDS
