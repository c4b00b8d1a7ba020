"""How answers are read: cores and notes."""

from fractions import Fraction

import pytest

from cot_entropy.answers.cores import (
    Core,
    Expression,
    Notes,
    Number,
    Reading,
    Relation,
    Structure,
    Unread,
    Words,
)
from cot_entropy.answers.limits import MAX_LENGTH
from cot_entropy.answers.reading import read

ONE, TWO = Reading(Number(Fraction(1))), Reading(Number(Fraction(2)))


@pytest.mark.parametrize(
    ("answer", "notes"),
    [
        ("5", Notes()),
        ("x = 5", Notes(name="x")),
        (r"f(x) = 5", Notes(name="f(x)")),
        (r"\theta = 5", Notes(name=r"\theta")),
        ("40_9", Notes(base="9")),
        (r"40_{\text{nine}}", Notes(base="9")),
        (r"5^\circ", Notes(unit="degree")),
        (r"5 \text{ degrees}", Notes(unit="degree")),
        (r"\$5", Notes(unit="dollar")),
        (r"-\$5", Notes(unit="dollar")),
        ("€5", Notes(unit="€")),
        (r"5\%", Notes(unit="percent")),
        ("5 cm", Notes(unit="cm")),
        (r"5\text{ cm}^2", Notes(unit="cm2")),
        ("5 square inches", Notes(unit="in2")),
        (r"x = 5 \text{ ft}", Notes(name="x", unit="ft")),
        (r"5 \text{ apples}", Notes()),
    ],
)
def test_notes(answer: str, notes: Notes) -> None:
    """What a writer may leave out; names of things counted are dropped."""
    assert read(answer).notes == notes


@pytest.mark.parametrize(
    ("answer", "core"),
    [
        ("1,450,000", Number(Fraction(1450000))),
        (r"-2\frac{1}{2}", Number(Fraction(-5, 2))),
        ("{5}", Number(Fraction(5))),
        ("$5$.", Number(Fraction(5))),
        ("**5**", Number(Fraction(5))),
        ("x = 2 + 3 = 5", Number(Fraction(5))),
        ("1, 2", Structure("list", (ONE, TWO), ordered=False)),
        (r"\{1, 2\}", Structure("list", (ONE, TWO), ordered=False)),
        ("(1, 2)", Structure("()", (ONE, TWO), ordered=True)),
        ("[1, 2)", Structure("[)", (ONE, TWO), ordered=True)),
        (r"1 \le x < 2", Structure("[)", (ONE, TWO), ordered=True)),
        (r"2 \ge x > 1", Structure("(]", (ONE, TWO), ordered=True)),
        (r"\begin{pmatrix} 1 \\ 2 \end{pmatrix}", Structure("2 rows", (ONE, TWO), ordered=True)),
        (r"\begin{pmatrix} 1 & 2 \end{pmatrix}", Structure("1 rows", (ONE, TWO), ordered=True)),
        (r"\text{ East }", Words("east")),
        ("(C)", Words("C")),
        ("even", Words("even")),
        ("xy", Expression("xy")),
        (r"\infty", Words(r"\infty")),
        ("2x + y = 3", Relation("=", "2x + y", "3")),
        ("3 > 2x + y", Relation("<", "2x + y", "3")),
        (r"2x \ne 3", Relation("!=", "2x", "3")),
        ("x" * (MAX_LENGTH + 1), Unread("x" * (MAX_LENGTH + 1))),
        ("(" * 50, Unread("(" * 50)),
    ],
)
def test_core(answer: str, core: Core) -> None:
    """Numbers, words, structures, relations; the rest is an expression."""
    assert read(answer).core == core


def test_plus_minus_is_two_answers() -> None:
    """Both signs, as a list."""
    core = read(r"1 \pm \sqrt{2}").core
    parts = tuple(Reading(Expression(rf"1 {sign} \sqrt{{2}}")) for sign in "+-")
    assert core == Structure("list", parts, ordered=False)


def test_a_named_value_is_an_equation() -> None:
    """So that a line solved for y can be set against its general form."""
    assert read("y = 2x").equation() == Relation("=", "y", "2x")
    assert read("2x").equation() is None
    assert read("x < y + 1").equation() is None
