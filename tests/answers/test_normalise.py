r"""The registered normal form: the published rules, and our repairs of them."""

import pytest

from cot_entropy.answers.normalise import decimal, normal_form, normalise

PUBLISHED = [
    # Lewkowycz et al. 2022, appendix D
    ("the right-hand side of a named value", "x=5", "5"),
    ("the last of a chain", "x = 2 + 3 = 5", "5"),
    ("articles", "an ellipse", "ellipse"),
    ("escaped dollar", r"\$18.90", "18.90"),
    ("escaped space", r"2\ \pi", r"2\pi"),
    ("mbox is text", r"15\mbox{ cm}^2", "15"),
    ("metre in text", r"5\text{m}", "5"),
    ("unit words", "5.4 cents", "5.4"),
    ("unit words in text", r"864 \mbox{ inches}^2", "864"),
    ("square units in words", "12 square feet", "12"),
    ("degree mark", r"90^\circ", "90"),
    ("degree mark in braces", r"90^{\circ}", "90"),
    ("thin space", r"x\;y", "xy"),
    ("comma and negative space", r"10,\!080", "10080"),
    ("braced comma", "9{,}500", "9500"),
    ("quotes", '"5"', "5"),
    ("the mathematics in dollars", "so $5$ it is", "5"),
    ("text unwrapped", r"\text{Evelyn}", "Evelyn"),
    ("bold text unwrapped", r"\textbf{B}", "B"),
    ("overlined segment unwrapped", r"\overline{AB}", "AB"),
    ("box unwrapped", r"\boxed{7}", "7"),
    ("short fraction", r"\frac12", r"\frac{1}{2}"),
    ("short root", r"11\sqrt2", r"11\sqrt{2}"),
    ("thousands", "58,500", "58500"),
    ("conjunction", r"1,\text{and}2", "1,2"),
    # Hendrycks et al. 2021, math_equivalence.py
    ("display fraction", r"\dfrac{17}{50}", r"\frac{17}{50}"),
    ("text fraction", r"\tfrac{17}{50}", r"\frac{17}{50}"),
    ("left and right", r"\left( 3, \frac{\pi}{2} \right)", r"(3,\frac{\pi}{2})"),
    ("percent", "50%", "50"),
    ("escaped percent", r"50\%", "50"),
    ("leading point", ".35625", "0.35625"),
    ("one half", "0.5", r"\frac{1}{2}"),
    ("slash fraction", "3/4", r"\frac{3}{4}"),
    ("negative slash fraction", "-3/4", r"\frac{-3}{4}"),
    ("fraction with one brace", r"\frac9{19}", r"\frac{9}{19}"),
    ("short name before a list", "x=1,2", "1,2"),
    ("spaces", "x + 1", "x+1"),
    ("negative space", r"2\!3", "23"),
]
REPAIRED = [
    ("ft is part of left", r"\left(2,3\right)", "(2,3)"),
    ("infinity survives", r"(2,\infty)", r"(2,\infty)"),
    ("ways is part of always", "always", "always"),
    ("a unit that is the answer", r"\text{square}", "square"),
    ("points that are the answer", "points", "points"),
    ("a is a variable", "3a + 2", "3a+2"),
    ("a before a sign", "a + b", "a+b"),
    ("an equation keeps its left side", "5x-7y+11z+4=0", "5x-7y+11z+4=0"),
    ("equations in a list", "x=2,y=3", "x=2,y=3"),
    ("less or equal", "x<=5", "x<=5"),
    ("lists of digits", "3, 5, 7", "3,5,7"),
    ("repeating decimal", r"0.\overline{3}", r"0.\overline{3}"),
    ("leftarrow is no left", r"\leftarrow", r"\leftarrow"),
    ("a list joined by a word", r"x=5 \text{ or } x=2", r"x=5orx=2"),
    ("a sum keeps its index", r"\sum_{k=1}^{n} k", r"\sum_{k=1}^{n}k"),
    ("a negated name is no name", "-x=5", "-x=5"),
    ("nothing after the sign", "x =", "x="),
    ("a mixed number", "1 1/2", "1~1/2"),
    ("an escaped space between digits", r"1\ 2", "1~2"),
    ("a thin space between digits", r"1\;2", "1~2"),
    ("thousands grouped by spaces", "1 000 000", "1000000"),
    ("a fraction of two spaced digits", r"\frac 1 2", r"\frac{1}{2}"),
    ("a logarithm's base and number", r"\log_2 64", r"\log_2~64"),
    ("a percent sign between digits", "5%10", "5~10"),
    ("feet and inches", r"5\text{ feet }11\text{ inches}", "5~11"),
    ("a decimal comma in braces", "2{,}5", "2,5"),
    ("a comma and a negative space in a pair", r"(3,\!5)", "(3,5)"),
    ("two in dollars", "$5$ or $2$", "5or2"),
    ("a sign before the dollars", "-$5$", "-5"),
    ("a conjugate", r"\overline{z}", r"\overline{z}"),
    ("a mark alone", r"\%", r"\%"),
    ("single quotes", "'42'", "42"),
    ("curly quotes", "\u201c42\u201d", "42"),
    ("a prime is no quote", "f'", "f'"),
    ("root of a degree", r"\sqrt[3]{2}", r"\sqrt[3]{2}"),
]


@pytest.mark.parametrize(
    ("answer", "form"), [c[1:] for c in PUBLISHED], ids=[c[0] for c in PUBLISHED]
)
def test_published_rule(answer: str, form: str) -> None:
    """Minerva's final-answer rules, then Hendrycks' string rules."""
    assert normalise(answer) == form


@pytest.mark.parametrize(
    ("answer", "form"), [c[1:] for c in REPAIRED], ids=[c[0] for c in REPAIRED]
)
def test_repair(answer: str, form: str) -> None:
    """Where a published rule would make different answers equal, ours is narrower."""
    assert normalise(answer) == form


@pytest.mark.parametrize(
    ("answer", "form"),
    [
        ("145.0", "145"),
        ("12.50", "12.5"),
        ("+18", "18"),
        ("-0.0", "0"),
        (".5", "0.5"),
        ("18.", "18"),
        ("1/2", "0.5"),
        ("$12.50", "12.5"),
        ("007", "007"),
        ("00000", "00000"),
        ("3/4", r"\frac{3}{4}"),
    ],
)
def test_the_normal_form_of_a_number(answer: str, form: str) -> None:
    """Its value's, but that zeros in front count: `00000` is what is left of `1,00,000`."""
    assert normal_form(answer, kind="number") == form


@pytest.mark.parametrize("text", ["", "+", "-", ".", "1.2.3", "1,2", "x", "1e5"])
def test_what_is_no_decimal(text: str) -> None:
    """Digits with one point at most."""
    assert decimal(text) is None


def test_mathematics_keeps_its_zeros() -> None:
    """The published rules do not read numbers."""
    assert normal_form("12.50", kind="math") == "12.50"
