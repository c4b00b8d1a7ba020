r"""Equality of expressions: math-verify reads the LaTeX, exact evaluation decides. No clocks.

What the registered limits stop (length, nesting, exponents, unbounded operators) is not given to
the computer algebra at all; the limits look at the text alone, so that a verdict never depends on
load, memory or thread. math-verify's own timeouts (SIGALRM, main thread only) stay off.

math-verify's comparison rounds to six decimals and chops small differences to zero, so it is not
transitive and calls `1/2^98` and `1/2^99` equal. Here two expressions are equal if they agree to
`DIGITS` digits at fixed points (Schwartz 1980, Zippel 1979, over the reals); the points depend on
the variables' names only.
"""

from __future__ import annotations

import hashlib
import logging
import re
from functools import lru_cache
from typing import Any, Final

import sympy
from math_verify import LatexExtractionConfig, parse
from sympy.core.function import AppliedUndef

MAX_LENGTH: Final = 200
MAX_NESTING: Final = 12
MAX_EXPONENT: Final = 1000
MAX_FACTORIAL: Final = 200
DIGITS: Final = 30
_POINTS: Final = 4
CACHE: Final = 1 << 12

_UNBOUNDED: Final = re.compile(
    r"\\(?:sum|prod|int|iint|oint|lim|frac\s*\{d|det|bigcup|bigcap)(?![A-Za-z])"
)
_EXPONENT: Final = re.compile(r"\^\s*(?:\{([^{}]*)\}|(\(?-?[0-9]+))")
_TOWER: Final = re.compile(r"\^\s*\{[^{}]*\^")
_FACTORIAL: Final = re.compile(r"([0-9]*)\s*[)}\]]?\s*!")
_LONG_DIGITS: Final = re.compile(r"[0-9]{60,}")
_BINOMIAL: Final = re.compile(r"binom\s*\{([^{}]*)\}")

logging.getLogger("math_verify").setLevel(logging.ERROR)


def within_limits(latex: str) -> bool:
    """Whether the registered limits let the computer algebra see this text."""
    if len(latex) > MAX_LENGTH or _UNBOUNDED.search(latex) or _LONG_DIGITS.search(latex):
        return False
    if _TOWER.search(latex) or _nesting(latex) > MAX_NESTING:
        return False
    exponents = (a or b for a, b in _EXPONENT.findall(latex))
    if any(_largest(exponent) > MAX_EXPONENT for exponent in exponents):
        return False
    factorials = _FACTORIAL.findall(latex)
    if len(factorials) > 2 or "!!" in latex.replace(" ", ""):
        return False
    if any(int(number or 0) > MAX_FACTORIAL for number in factorials):
        return False
    return all(_largest(top) <= MAX_EXPONENT for top in _BINOMIAL.findall(latex))


def equal(left: str, right: str) -> bool | None:
    """Whether two LaTeX expressions are equal; None where that cannot be decided."""
    first, second = expression(left), expression(right)
    if first is None or second is None:
        return None
    return _agree(first, second, scale=False)


def proportional(left: str, right: str, *, sign: bool) -> bool | None:
    """Whether two expressions differ by a constant factor only (positive if `sign`)."""
    first, second = expression(left), expression(right)
    if first is None or second is None:
        return None
    verdict = _agree(first, second, scale=True)
    if verdict and sign:
        return _ratio_positive(first, second)
    return verdict


@lru_cache(maxsize=CACHE)
def expression(latex: str) -> Any | None:
    """The sympy expression that math-verify reads, or None: over the limits, or not readable."""
    if not within_limits(latex):
        return None
    found = parse(
        f"${latex}$",
        extraction_config=[LatexExtractionConfig()],
        fallback_mode="no_fallback",
        parsing_timeout=None,
    )
    if not found or not isinstance(found[0], sympy.Expr):
        return None
    return _exact(found[0])


def _exact(found: Any) -> Any:
    replaced = {number: sympy.Rational(str(number)) for number in found.atoms(sympy.Float)}
    for symbol in found.free_symbols:
        if symbol.name == "i":
            replaced[symbol] = sympy.I
        elif symbol.name == "e":
            replaced[symbol] = sympy.E
    for function in found.atoms(AppliedUndef):
        replaced[function] = sympy.Symbol(str(function))
    return found.xreplace(replaced)


def _agree(first: Any, second: Any, *, scale: bool) -> bool | None:
    names = sorted({symbol.name for symbol in first.free_symbols | second.free_symbols})
    if {s.name for s in first.free_symbols} != {s.name for s in second.free_symbols} and not scale:
        pass
    ratios = []
    for index in range(_POINTS if names else 1):
        a, b = _value(first, index), _value(second, index)
        if a is None or b is None:
            continue
        if not scale:
            if not _close(a, b):
                return False
            ratios.append(a)
            continue
        if (a == 0) or (b == 0):
            if a != b:
                return False
            continue
        ratios.append(a / b)
        if not _close(ratios[0], ratios[-1]):
            return False
    return True if ratios else None


def _ratio_positive(first: Any, second: Any) -> bool:
    a, b = _value(first, 0), _value(second, 0)
    return a is not None and b is not None and bool(sympy.re(a / b) > 0)


def _value(expression: Any, index: int) -> Any | None:
    points = {symbol: _point(symbol.name, index) for symbol in expression.free_symbols}
    try:
        value = expression.xreplace(points).evalf(DIGITS + 10)
    except (ArithmeticError, ValueError, TypeError, AttributeError, NotImplementedError):
        return None
    if not value.is_number or value.has(sympy.nan, sympy.zoo, sympy.oo, -sympy.oo):
        return None
    return value


def _close(a: Any, b: Any) -> bool:
    size = max(abs(a), abs(b))
    return bool(abs(a - b) <= size * sympy.Float(10) ** -DIGITS)


def _point(name: str, index: int) -> Any:
    digest = hashlib.sha256(f"{name}/{index}".encode()).digest()
    magnitude = sympy.Rational(int.from_bytes(digest[:4]) + 2**30, 2**32)
    return magnitude if index % 2 == 0 else -magnitude


def _nesting(latex: str) -> int:
    depth = deepest = 0
    for character in latex:
        depth += (character in "{([") - (character in "})]")
        deepest = max(deepest, depth)
    return deepest


def _largest(text: str) -> int:
    return max((int(digits) for digits in re.findall(r"[0-9]+", text)), default=0)
