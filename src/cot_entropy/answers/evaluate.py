r"""The value of a sympy tree at fixed points: exact if rational, else to `DIGITS` digits.

The tree is walked as it was parsed. sympy itself evaluates nothing, so `9^{9^{9^9}}` costs
nothing: beyond `MAX_BITS` there is no value. Inexact values beyond 2 to the +-`MAX_INEXACT_BITS`
have none either, or `2^{900} + \sqrt{2}` and `2^{900} + \sqrt{3}` would agree. Variables take
fixed rational values, positive and negative, that depend on their names only, so that an identity
of rational functions is checked in exact arithmetic (Schwartz 1980; Zippel 1979).
"""

from __future__ import annotations

import hashlib
import operator
from collections.abc import Callable
from fractions import Fraction
from functools import lru_cache
from math import ceil, comb, factorial, floor
from typing import Any, Final, TypeAlias

import mpmath

DIGITS: Final = 200
AGREEING_DIGITS: Final = 80
MAX_BITS: Final = 1 << 16
MAX_INEXACT_BITS: Final = 100
_MAX_FACTORIAL: Final = 2000

Value: TypeAlias = Fraction | Any

_context: Final[Any] = mpmath.MPContext()
_context.dps = DIGITS
_ZERO: Final = _context.mpf(10) ** -(DIGITS - 50)
_EQUAL: Final = _context.mpf(10) ** -AGREEING_DIGITS


class NoValueError(Exception):
    """The tree has no value at this point, or none that the limits allow to compute."""


def value(tree: Any, point: int) -> Value:
    """The value of `tree` with its variables at their `point`-th values (even: positive).

    Raises NoValueError at poles, for functions not known here, and beyond `MAX_BITS`.
    """
    try:
        return _checked(_walk(tree, point))
    except (ArithmeticError, ValueError, TypeError) as error:
        raise NoValueError(str(error)) from None


def close(first: Value, second: Value) -> bool:
    """Exact equality of rationals; else agreement to `AGREEING_DIGITS` significant digits."""
    if isinstance(first, Fraction) and isinstance(second, Fraction):
        return first == second
    a, b = _complex(first), _complex(second)
    return bool(abs(a - b) <= _EQUAL * max(abs(a), abs(b)))


def ratio(first: Value, second: Value) -> Value:
    """`first / second`; raises NoValueError where `second` is zero."""
    if second == 0:
        raise NoValueError("division by zero")
    if isinstance(first, Fraction) and isinstance(second, Fraction):
        return first / second
    return _complex(first) / _complex(second)


def is_positive(number: Value) -> bool:
    """Whether a value is real and above zero."""
    if isinstance(number, Fraction):
        return number > 0
    return bool(number.real > 0 and abs(number.imag) <= _EQUAL * abs(number.real))


def _walk(tree: Any, point: int) -> Value:
    kind = type(tree).__name__
    if tree.is_Symbol:
        return _symbol(tree.name, point)
    if tree.is_Rational:
        return Fraction(int(tree.p), int(tree.q))
    if tree.is_Float:
        return Fraction(str(tree))
    if kind not in _OPERATIONS:
        raise NoValueError(f"no value for {kind}")
    return _OPERATIONS[kind](*(_checked(_walk(part, point)) for part in tree.args))


def _symbol(name: str, point: int) -> Value:
    if name == "i":
        return _context.mpc(0, 1)
    return _context.mpc(_context.e) if name == "e" else _variable(name, point)


@lru_cache(maxsize=1024)
def _variable(name: str, point: int) -> Fraction:
    digest = hashlib.sha256(f"{name}/{point}".encode()).digest()
    size = Fraction(int.from_bytes(digest[:2]) + 2**14, 2**15 - 19)
    return size if point % 2 == 0 else -size


def _sum(*parts: Value) -> Value:
    if all(isinstance(part, Fraction) for part in parts):
        return sum(parts, Fraction(0))
    terms = [_complex(part) for part in parts]
    total = _context.fsum(terms)
    return Fraction(0) if abs(total) <= _ZERO * max(map(abs, terms)) else total


def _product(*parts: Value) -> Value:
    product: Value = Fraction(1)
    for part in parts:
        exact = isinstance(product, Fraction) and isinstance(part, Fraction)
        product = _checked(product * part if exact else _complex(product) * _complex(part))
    return product


def _power(base: Value, exponent: Value) -> Value:
    if base == 0 and not (isinstance(exponent, Fraction) and exponent >= 0):
        raise NoValueError("zero to a power that is not above zero")
    if max(1, _bits(base)) * abs(_complex(exponent)) > MAX_BITS:
        raise NoValueError("too large")
    if isinstance(base, Fraction) and isinstance(exponent, Fraction) and exponent.denominator == 1:
        return base**exponent.numerator
    return _context.mpc(_context.power(_complex(base), _complex(exponent)))


def _factorial(number: Value) -> Value:
    if _is_natural(number):
        return Fraction(factorial(number.numerator))
    return _context.mpc(_context.factorial(_complex(number)))


def _binomial(above: Value, below: Value) -> Value:
    if _is_natural(above) and _is_natural(below):
        return Fraction(comb(above.numerator, below.numerator))
    return _context.mpc(_context.binomial(_complex(above), _complex(below)))


def _logarithm(number: Value, base: Value | None = None) -> Value:
    logarithm = _context.log(_complex(number))
    return _context.mpc(logarithm if base is None else logarithm / _context.log(_complex(base)))


def _modulus(number: Value) -> Value:
    return abs(number) if isinstance(number, Fraction) else _context.mpc(abs(number))


def _rational_only(function: Callable[..., Any]) -> Callable[..., Value]:
    def checked(*parts: Value) -> Value:
        if not all(isinstance(part, Fraction) for part in parts):
            raise NoValueError("defined here for rational values only")
        return Fraction(function(*parts))

    return checked


def _bounded_only(function: Callable[[Any], Any]) -> Callable[..., Value]:
    def bounded(part: Value) -> Value:
        return _context.mpc(function(_complex(part)))

    return bounded


def _is_natural(number: Value) -> bool:
    return (
        isinstance(number, Fraction)
        and number.denominator == 1
        and 0 <= number.numerator <= _MAX_FACTORIAL
    )


def _complex(number: Value) -> Any:
    """A value as a complex float, where its size leaves the digits to compare it by."""
    if isinstance(number, Fraction):
        number = _context.mpc(_context.mpf(number.numerator) / number.denominator)
    return _checked(number)


def _checked(number: Value) -> Value:
    if isinstance(number, Fraction):
        if _bits(number) > MAX_BITS:
            raise NoValueError("too large")
        return number
    if not _context.isfinite(number):
        raise NoValueError("infinite")
    if _bits(number) > MAX_INEXACT_BITS:
        raise NoValueError("too large or too small to compare")
    return number


def _bits(number: Value) -> int:
    if isinstance(number, Fraction):
        return max(number.numerator.bit_length(), number.denominator.bit_length())
    size = abs(number)
    return abs(int(_context.mag(size))) if size else 0


_OPERATIONS: Final[dict[str, Callable[..., Value]]] = {
    "Pi": lambda: _context.mpc(_context.pi),
    "Exp1": lambda: _context.mpc(_context.e),
    "ImaginaryUnit": lambda: _context.mpc(0, 1),
    "Add": _sum,
    "Mul": _product,
    "Pow": _power,
    "UnevaluatedExpr": lambda part: part,
    "Abs": _modulus,
    "factorial": _factorial,
    "binomial": _binomial,
    "log": _logarithm,
    "floor": _rational_only(floor),
    "ceiling": _rational_only(ceil),
    "Max": _rational_only(max),
    "Min": _rational_only(min),
    "Mod": _rational_only(operator.mod),
    "re": _bounded_only(_context.re),
    "im": _bounded_only(_context.im),
    "conjugate": _bounded_only(_context.conj),
}
_OPERATIONS.update(
    (name, _bounded_only(getattr(_context, name)))
    for name in (
        *("exp", "sin", "cos", "tan", "cot", "sec", "csc", "sinh", "cosh", "tanh"),
        *("asin", "acos", "atan", "acot", "asec", "acsc"),
    )
)
