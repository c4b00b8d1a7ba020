"""The hand-written set: every gold recomputed by sympy or by enumeration, none copied."""

from collections.abc import Callable
from fractions import Fraction
from math import comb, gcd, lcm
from pathlib import Path

import pytest
import sympy
from sympy import I, Rational, Symbol, oo, pi, solve, sqrt, symbols

from cot_entropy.data.load import load
from cot_entropy.data.sources.embedded import EmbeddedDataset

x, y, k, n = symbols("x y k n", real=True)
z = Symbol("z")

QUESTIONS = load(
    EmbeddedDataset(source="embedded", name="algebra", answer="math"), root=Path()
).questions
GOLDS = {item.id: item.gold for item in QUESTIONS}


def _distance() -> sympy.Expr:
    return sympy.Line(sympy.Point(2, 5), sympy.Point(6, 2)).distance(sympy.Point(1, 2))


def _circle_center() -> str:
    quadratic = x**2 + y**2 - 8 * x + 6 * y - 11
    (center,) = solve([quadratic.diff(x), quadratic.diff(y)], [x, y], dict=True)
    return f"({center[x]},{center[y]})"


def _circle_area() -> sympy.Expr:
    quadratic = x**2 + y**2 + 10 * x - 2 * y - 10
    (center,) = solve([quadratic.diff(x), quadratic.diff(y)], [x, y], dict=True)
    return -quadratic.subs(center) * pi


def _pair() -> str:
    found = solve([3 * x + 2 * y - 16, 5 * x - y - 5], [x, y])
    return f"({found[x]},{found[y]})"


def _interval() -> str:
    solution = sympy.solve_univariate_inequality(x**2 - 5 * x - 14 < 0, x, relational=False)
    assert solution.left_open
    assert solution.right_open
    return f"({solution.start},{solution.end})"


def _complex() -> str:
    real, imaginary = sympy.expand((3 + 2 * I) * (4 - 5 * I)).as_real_imag()
    return f"{real}{int(imaginary):+d}i"


def _inverse() -> sympy.Expr:
    (found,) = solve((2 * x + 3) / (x - 4) - 5, x)
    return found


def _geometric_first_term() -> sympy.Expr:
    (ratio,) = (value for value in solve(z**3 - Rational(96, 12), z) if value.is_real)
    return 12 / ratio**2


RECOMPUTED: dict[str, Callable[[], object]] = {
    "algebra-01": lambda: max(a for a in range(32) if a * (31 - a) == 240),
    "algebra-02": lambda: sympy.simplify(
        sum((t**3 + t**-3 for t in solve(z + 1 / z - 5, z)), 0) / 2
    ),
    "algebra-03": lambda: sympy.simplify(sum(1 / r for r in solve(2 * z**2 - 7 * z + 4, z))),
    "algebra-04": lambda: sum(
        {t for side in (1, -1) for t in solve(3 * x - 5 - side * 2 * (x + 5), x)}
    ),
    "algebra-05": _inverse,
    "algebra-06": lambda: next(i for i in range(1, 100) if i * i + i > 500),
    "algebra-07": lambda: sqrt(75) + sqrt(48) - sqrt(27),
    "algebra-08": lambda: 1 / (sqrt(7) - sqrt(5)),
    "algebra-09": _geometric_first_term,
    "algebra-10": lambda: sympy.summation(6 * Rational(1, 3) ** n, (n, 0, oo)),
    "algebra-11": lambda: sum(i for i in range(101, 300) if i % 7 == 0),
    "algebra-12": lambda: next(t for t in solve(x * (x - 6) - 2**4, x) if t > 6),
    "algebra-13": _interval,
    "algebra-14": lambda: sympy.rem(x**5 - 3 * x**2 + 7, x - 2, x),
    "algebra-15": lambda: max(solve(sympy.discriminant(x**2 + k * x + 49, x), k)),
    "algebra-16": lambda: sympy.interpolate([(2, -1), (6, 7)], x).subs(x, 0),
    "algebra-17": _distance,
    "algebra-18": _circle_center,
    "algebra-19": _circle_area,
    "algebra-20": _complex,
    "algebra-21": lambda: sympy.Abs((3 + 4 * I) / (1 - 2 * I)),
    "algebra-22": lambda: 1 / (Rational(1, 6) + Rational(1, 9)),
    "algebra-23": _pair,
    "algebra-24": lambda: sympy.calculus.util.minimum(2 * x**2 - 12 * x + 25, x),
    "algebra-25": lambda: sum(abs(2 * i - 3) <= 9 for i in range(-100, 100)),
    "algebra-26": lambda: comb(9, 4),
    "algebra-27": lambda: sympy.Poly((2 * x - 1) ** 6, x).coeff_monomial(x**3),
    "algebra-28": lambda: sum(map(int, str(10**20 - 37))),
    "algebra-29": lambda: pow(7, 2026, 10),
    "algebra-30": lambda: sum(720 % i == 0 for i in range(1, 721)),
    "algebra-31": lambda: next(i for i in range(1, 181) if gcd(i, 30) == 6 and lcm(i, 30) == 180),
    "algebra-32": lambda: next(i for i in range(1, 36) if i % 5 == 2 and i % 7 == 3),
    "algebra-33": lambda: Fraction(27, 99),
    "algebra-34": lambda: next(i for i in range(50) if 9**i * 27**2 == 27**i),
    "algebra-35": lambda: sum(Fraction(1, i * (i + 1)) for i in range(1, 21)),
    "algebra-36": lambda: (x**2 + 4 * x).subs(x, 3 - 1),
    "algebra-37": lambda: sympy.prod(t for t in solve(x**4 - 13 * x**2 + 36, x) if t > 0),
    "algebra-38": lambda: 100 - 100 * Fraction(120, 100) * Fraction(75, 100),
    "algebra-39": lambda: Fraction(sum(a + b == 8 for a in range(1, 7) for b in range(1, 7)), 36),
    "algebra-40": lambda: sympy.Triangle(sss=(13, 14, 15)).area,
}
AS_SYMPY = {
    r"6\sqrt{3}": 6 * sqrt(3),
    r"\frac{\sqrt{7}+\sqrt{5}}{2}": (sqrt(7) + sqrt(5)) / 2,
    r"36\pi": 36 * pi,
    r"\sqrt{5}": sqrt(5),
    r"\frac{7}{4}": Rational(7, 4),
    r"\frac{23}{3}": Rational(23, 3),
    r"\frac{18}{5}": Rational(18, 5),
    r"\frac{3}{11}": Rational(3, 11),
    r"\frac{20}{21}": Rational(20, 21),
    r"\frac{5}{36}": Rational(5, 36),
}


def test_there_are_at_least_thirty_questions() -> None:
    """Each with its own id, and each recomputed below."""
    assert len(QUESTIONS) >= 30
    assert GOLDS.keys() == RECOMPUTED.keys()


@pytest.mark.parametrize("identity", GOLDS)
def test_the_gold_is_right(identity: str) -> None:
    """The stored gold equals the value computed here."""
    gold, computed = GOLDS[identity], RECOMPUTED[identity]()
    if isinstance(computed, str):
        assert gold == computed
    else:
        stored = AS_SYMPY.get(gold)
        assert (
            sympy.simplify(
                sympy.sympify(computed) - (sympy.Integer(gold) if stored is None else stored)
            )
            == 0
        )
