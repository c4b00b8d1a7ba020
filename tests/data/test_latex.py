"""LaTeX exercises: every equality of a solution and every gold recomputed with sympy."""

import re
from fractions import Fraction

import pytest
import sympy

from cot_entropy.data.generate import strata, take
from cot_entropy.data.latex import FAMILIES, latex, problems

ALL = strata(steps=(1, 2, 3), sizes=("small", "large"), distractors=("no", "yes"))
DRAWN = take(problems(seed=5, split="evaluation", kinds=ALL), 1500)
FRACTION = re.compile(r"\\frac\{([^{}]*)\}\{([^{}]*)\}")
ROOT = re.compile(r"(\d*)\\sqrt\{(\d+)\}")
POWER = re.compile(r"\^\{(\d+)\}")
COEFFICIENT = re.compile(r"(?<=\d)(?=[a-z])")


def value(text: str) -> sympy.Expr:
    """A LaTeX expression of these exercises as sympy, read by this test's own rules."""
    text = FRACTION.sub(r"((\1)/(\2))", text)
    text = ROOT.sub(lambda hit: f"{hit[1] + '*' if hit[1] else ''}sqrt({hit[2]})", text)
    text = POWER.sub(r"**(\1)", text).replace(r"\cdot", "*")
    return sympy.sympify(COEFFICIENT.sub("*", text), rational=True)


def family(problem) -> str:
    return problem.question.id.rpartition("-")[0]


def formulas(text: str) -> list[str]:
    return re.findall(r"\$([^$]*)\$", text)


def expected(problem) -> sympy.Expr:
    """The gold from the exercise's own text."""
    text = problem.question.text
    parts = formulas(text[text.index(". ") :] if text.startswith("Let") else text)
    match family(problem):
        case "equation":
            left, right = parts[0].split("=")
            (solution,) = sympy.solve(value(left) - value(right), sympy.Symbol("x"))
            return solution
        case "value":
            variable, number = parts[1].split(" = ")
            return value(parts[0]).subs(sympy.Symbol(variable), int(number))
        case _:
            return value(parts[0])


@pytest.mark.parametrize("name", FAMILIES)
def test_every_gold_is_what_sympy_computes(name: str) -> None:
    """The gold equals the exercise, evaluated or solved."""
    drawn = [item for item in DRAWN if family(item) == name]
    assert drawn
    for item in drawn:
        assert sympy.simplify(expected(item) - value(item.question.gold)) == 0, item


def test_every_chain_of_equalities_in_a_solution_is_true() -> None:
    """All sides of `a = b = c` are equal; lines about x hold for the solution."""
    for item in DRAWN:
        gold = value(item.question.gold)
        for unit in item.units[:-1]:
            for formula in (part for part in formulas(unit) if "=" in part):
                sides = [value(side) for side in formula.split("=")]
                if family(item) == "equation":
                    sides = [side.subs(sympy.Symbol("x"), gold) for side in sides]
                assert all(sympy.simplify(side - sides[0]) == 0 for side in sides), unit


def test_the_last_unit_boxes_the_gold() -> None:
    """What the registered extraction reads is the gold, sign for sign."""
    for item in DRAWN:
        assert item.units[-1] == f"The answer is $\\boxed{{{item.question.gold}}}$."


def test_fractions_are_in_lowest_terms() -> None:
    r"""Normalised equality is equality of strings: `\frac{2}{4}` would be another answer."""
    for item in DRAWN:
        for numerator, denominator in FRACTION.findall(item.question.gold):
            assert Fraction(int(numerator), int(denominator)).denominator == int(denominator) > 1


def test_a_solution_has_three_to_six_units() -> None:
    """Short chains: the demo's prefixes are few."""
    assert {len(item.units) for item in DRAWN} <= {3, 4, 5, 6}


def test_a_distractor_defines_a_number_that_the_exercise_does_not_use() -> None:
    """`t` occurs in its definition only."""
    for item in DRAWN:
        defined = item.question.text.startswith("Let $t = ")
        assert defined == (item.question.stratum or "").endswith("distractor=yes")
        rest = "".join(
            formulas(item.question.text)[1:] if defined else formulas(item.question.text)
        )
        assert not re.search(r"(?<![a-z\\])t(?![a-z])", rest)


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (Fraction(7), "7"),
        (Fraction(-2), "-2"),
        (Fraction(5, 6), r"\frac{5}{6}"),
        (Fraction(-1, 3), r"-\frac{1}{3}"),
    ],
)
def test_a_number_as_latex(number: Fraction, text: str) -> None:
    """Whole numbers bare, fractions with the sign in front."""
    assert latex(number) == text
