r"""The registered limits: what the computer algebra is never given.

They look at the text alone, so that a verdict depends on no clock, load, memory or thread. An
answer over a limit is compared as its normalised string, and the comparison is counted.
"""

from __future__ import annotations

import re
from typing import Final

MAX_LENGTH: Final = 256
MAX_NESTING: Final = 12
MAX_DIGITS: Final = 100
MAX_EXPONENT: Final = 1000
MAX_FACTORIAL: Final = 200

_UNBOUNDED: Final = re.compile(
    r"\\(?:sum|prod|int|iint|oint|lim|limsup|liminf|det|bigcup|bigcap|binom|dbinom|tbinom|choose)"
    r"(?![A-Za-z])|''"
)
_BINOMIAL: Final = re.compile(r"\\[dt]?binom\s*\{[0-9]{1,3}\}\s*\{[0-9]{1,3}\}")
_EXPONENT: Final = re.compile(r"\^\s*\{?\s*\(?\s*-?\s*([0-9]+)")
_FACTORIAL: Final = re.compile(r"([0-9]*)\s*!")
_LONG_DIGITS: Final = re.compile(rf"[0-9]{{{MAX_DIGITS + 1},}}")
_OPENING: Final = "{(["
_CLOSING: Final = "})]"


def is_short(text: str) -> bool:
    """Whether an answer is within the limits on length and nesting."""
    return len(text) <= MAX_LENGTH and _nesting(text) <= MAX_NESTING


def within_limits(latex: str) -> bool:
    """Whether the computer algebra may read a LaTeX answer."""
    if not is_short(latex):
        return False
    if _LONG_DIGITS.search(latex) or _UNBOUNDED.search(_BINOMIAL.sub("", latex)):
        return False
    if any(int(power) > MAX_EXPONENT for power in _EXPONENT.findall(latex)):
        return False
    return all(int(number or 0) <= MAX_FACTORIAL for number in _FACTORIAL.findall(latex))


def _nesting(latex: str) -> int:
    depth = deepest = 0
    for character in latex:
        depth += (character in _OPENING) - (character in _CLOSING)
        deepest = max(deepest, depth)
    return deepest
