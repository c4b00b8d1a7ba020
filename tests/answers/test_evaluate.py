"""Values of expression trees: exact where rational, bounded, without a clock."""

from fractions import Fraction

import mpmath
import pytest
import sympy

from cot_entropy.answers import evaluate
from cot_entropy.answers.symbolic import expression, proportional


def value(latex: str, point: int = 0) -> evaluate.Value:
    return evaluate.value(expression(latex), point)


@pytest.mark.parametrize(
    ("latex", "exact"),
    [
        (r"\frac{1}{3} + \frac{1}{6}", Fraction(1, 2)),
        ("0.1 + 0.2", Fraction(3, 10)),
        ("2^{-3}", Fraction(1, 8)),
        ("5! - 5", Fraction(115)),
        (r"|{-7}|", Fraction(7)),
        (r"\lfloor 2.5 \rfloor", Fraction(2)),
        (r"\lceil 2.5 \rceil", Fraction(3)),
        ("x - x", Fraction(0)),
        (r"\sqrt{2} - \sqrt{2}", Fraction(0)),
    ],
)
def test_rational_values_are_exact(latex: str, exact: Fraction) -> None:
    """Decimals too: one tenth is not its nearest double."""
    assert value(latex) == exact


@pytest.mark.parametrize(
    ("latex", "digits"),
    [
        (r"\sqrt{2}", "1.4142135623730950488016887242096980785696718753769"),
        (r"\pi", "3.1415926535897932384626433832795028841971693993751"),
        ("e", "2.7182818284590452353602874713526624977572470936999"),
        (r"\ln 2", "0.69314718055994530941723212145817656807550013436025"),
        (r"\cos \frac{\pi}{3}", "0.5"),
        (r"4 \arctan 1", "3.1415926535897932384626433832795028841971693993751"),
    ],
)
def test_irrational_values(latex: str, digits: str) -> None:
    """To fifty digits, from tables."""
    with mpmath.workdps(60):
        assert abs(mpmath.mpc(value(latex)) - mpmath.mpf(digits)) < mpmath.mpf(10) ** -49


@pytest.mark.parametrize("point", range(4))
def test_variables_have_the_same_value_everywhere(point: int) -> None:
    """The value depends on the name and the point; odd points are negative."""
    found = value("x", point)
    assert found == value("x + 0", point)
    assert (found > 0) == (point % 2 == 0)
    assert found != value("y", point)


@pytest.mark.parametrize(
    "latex",
    [
        "9^{9^{9^9}}",
        "((((9^{999})^{999})^{999})^{999})^{999}",
        "2^{100!}",
        "(200!)^{200}",
        r"\sin(10^{900})",
        "e^{e^{e^{e^{9}}}}",
        r"\frac{1}{0}",
        r"\ln 0",
        "0^{-1}",
        r"\tan^{999} (10^{90})",
        r"\tan \frac{\pi}{2}",
        r"2^{900} + \sqrt{2}",
        r"1 + e^{-1000}",
        r"2^{900} + \sqrt{2} - 2^{900}",
        r"\sinh(1000)",
    ],
)
def test_what_has_no_value(latex: str) -> None:
    """Too large, or undefined: said at once, whatever the size."""
    with pytest.raises(evaluate.NoValueError):
        value(latex)


def test_functions_not_known_have_no_value() -> None:
    """They are never guessed."""
    with pytest.raises(evaluate.NoValueError, match="zeta"):
        evaluate.value(sympy.zeta(sympy.Symbol("x")), 0)


@pytest.mark.parametrize(
    ("left", "right", "factor", "expected"),
    [
        ("2x - 4", "x - 2", "any", True),
        ("2x - 4", "2 - x", "any", True),
        ("2x - 4", "2 - x", "positive", False),
        ("2x - 4", "x - 3", "any", False),
        ("x - y", r"\frac{x}{2} - \frac{y}{2}", "positive", True),
        ("x", "x^2", "any", False),
        (r"\sqrt{2} x", "2x", "positive", True),
    ],
)
def test_proportional(left: str, right: str, factor: str, expected: bool) -> None:
    """One constant for all points, its sign where an inequality needs it."""
    assert proportional(left, right, factor=factor) is expected
