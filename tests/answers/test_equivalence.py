"""When two answers are the same, under both equivalences; decided by hand."""

from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

import pytest

from cot_entropy.answers import Grade, grade_answer


class Pair(NamedTuple):
    name: str
    first: str
    second: str
    normalised: bool
    by_value: bool


PAIRS = [
    # numbers
    Pair("itself", "72", "72", True, True),
    Pair("thousands", "1,450,000", "1450000", True, True),
    Pair("braced comma", "9{,}500", "9500", True, True),
    Pair("thin space", r"1\,000", "1000", False, True),
    Pair("negative spaces", r"11,\! 111,\! 111,\! 100", "11111111100", True, True),
    Pair("leading point", ".5", r"\frac{1}{2}", True, True),
    Pair("decimal and fraction", "1.25", r"\frac{5}{4}", False, True),
    Pair("trailing zeros", "18.00", "18", False, True),
    Pair("a rounded third is no third", "0.333333", r"\frac{1}{3}", False, False),
    Pair("a repeating decimal is a third", r"0.\overline{3}", r"\frac{1}{3}", False, True),
    Pair("repeating after a head", r"0.1\overline{6}", r"\frac{1}{6}", False, True),
    Pair("a repeating decimal is not cut off", r"0.\overline{3}", "0.3", False, False),
    Pair("tiny numbers differ", r"\frac{1}{2^{98}}", r"\frac{1}{2^{99}}", False, False),
    Pair("tiny number, other spelling", r"\frac{1}{2^{98}}", "2^{-98}", False, True),
    Pair("one and almost one", r"1 + \frac{1}{2^{300}}", "1", False, False),
    Pair("large neighbours differ", "2^{900}", "2^{900}+1", False, False),
    Pair("sign", "-5", "5", False, False),
    Pair("Unicode minus", "−5", "-5", True, True),
    Pair("full-width digits", "１２", "12", True, True),
    Pair("Arabic-Indic digits", "٤٢", "42", True, True),
    Pair("vulgar fraction", "½", "0.5", False, True),
    Pair("fraction not in lowest terms", r"\frac{2}{4}", r"\frac{1}{2}", False, True),
    Pair("display fraction", r"\dfrac{17}{50}", r"\frac{17}{50}", True, True),
    Pair("short fraction", r"\frac43", r"\frac{4}{3}", True, True),
    Pair("minus before or in the fraction", r"-\frac{1}{3}", r"\frac{-1}{3}", False, True),
    Pair("factorial", "5!", "120", False, True),
    Pair("binomial", r"\binom{5}{2}", "10", False, True),
    Pair("logarithm", r"\log_2 8", "3", False, True),
    Pair("a product in brackets is no mixed number", "2(3)", "5", False, False),
    # mixed numbers and scientific notation
    Pair("mixed number", r"2\frac{1}{2}", r"\frac{5}{2}", False, True),
    Pair("mixed number with a space", r"137 \frac{1}{2}", "137.5", False, True),
    Pair("mixed number with a slash", "2 2/3", r"\frac{8}{3}", False, True),
    Pair("mixed number and its whole", "2 2/3", "2", False, False),
    Pair("negative mixed number", r"-1\frac{1}{2}", r"-\frac{3}{2}", False, True),
    Pair("power of ten", r"1.5 \times 10^6", "1500000", False, True),
    Pair("E notation", "1.5e6", "1,500,000", False, True),
    Pair("negative power of ten", r"6.72 \times 10^{-5}", ".0000672", False, True),
    # units, currency, percent, degrees
    Pair("currency left out", r"\$36", "36", True, True),
    Pair("currency in words", r"\$36", "36 dollars", True, True),
    Pair("degree spelling", r"90^{\circ}", r"90^\circ", True, True),
    Pair("degree character", "90°", r"90^\circ", False, True),
    Pair("degrees in words", r"\frac{270}7\text{ degrees}", r"\frac{270}{7}^\circ", False, True),
    Pair("degree mark left out", "36", r"36^\circ", True, True),
    Pair("money is no angle", r"\$36", r"36^\circ", True, False),
    Pair("percent spelling", "50%", r"50\%", True, True),
    Pair("percent left out", "50", r"50\%", True, True),
    Pair("a percentage is no ratio", r"50\%", "0.5", False, False),
    Pair("unit left out", r"15\mbox{ cm}^2", "15", True, True),
    Pair("unit in words", r"864 \mbox{ inches}^2", "864 square inches", True, True),
    Pair("other unit", r"5 \text{ cm}", r"5 \text{ m}", True, False),
    Pair("other power of the unit", r"15\text{ cm}^2", r"15\text{ cm}^3", True, False),
    Pair("what is counted", "5 apples", "5", False, True),
    Pair("a product of variables is no unit", "6xy", "6", False, False),
    Pair("pi is no unit", r"2 pi", "2", False, False),
    # bases
    Pair("base left out", "40", "40_9", False, True),
    Pair("other base", "40_7", "40_9", False, False),
    Pair("base in braces", "4210_{5}", "4210_5", False, True),
    Pair("base in words", r"52_{\text{eight}}", "52_8", False, True),
    Pair("other numeral", "41_9", "40_9", False, False),
    # names
    Pair("name left out", "x=5", "5", True, True),
    Pair("name of a point left out", "(x, y) = (1, 2)", "(1,2)", False, True),
    Pair("name of an angle left out", r"\angle ABC = 30^\circ", r"30^\circ", False, True),
    Pair("value of a function", "f(2) = 7", "7", True, True),
    Pair("other name", "x=5", "y=5", True, False),
    Pair("function name left out", "f(x) = 2x + 1", "2x+1", True, True),
    Pair("line left out", "y = 2x + 3", "2x+3", True, True),
    Pair("line in general form", r"y = -\frac{1}{2}x + \frac{3}{4}", "2x+4y-3=0", False, True),
    Pair("line solved for the other", "y=2x+3", r"x=\frac{y-3}{2}", False, True),
    Pair("equation times a factor", "x+y=2", "2x+2y=4", False, True),
    Pair("equation turned round", "5x - 7y + 11z + 4 = 0", "0 = 5x - 7y + 11z + 4", False, True),
    Pair("an equation is no zero", "5x - 7y + 11z + 4 = 0", "0", False, False),
    Pair("values exchanged", "x=1, y=2", "x=2, y=1", False, False),
    Pair("values in the other order", "x=1, y=2", "y=2, x=1", False, True),
    # lists, sets, tuples, intervals
    Pair("list in the other order", "1,-2", "-2,1", False, True),
    Pair("list with and", r"1 \text{ and } -2", "-2, 1", False, True),
    Pair("list with or", "x=1 or x=2", "1,2", False, True),
    Pair("list is no number", "3, 5, 7", "357", False, False),
    Pair("repeated elements count", "1,1,2", "1,2", False, False),
    Pair("set and list", r"\{1, 2\}", "2,1", False, True),
    Pair("set of one", r"\{3\}", "3", False, True),
    Pair("empty set", r"\emptyset", r"\{\}", False, True),
    Pair("plus-minus is two answers", r"\pm 2021", "2021", False, False),
    Pair("plus-minus written out", r"1 \pm \sqrt{19}", r"1-\sqrt{19}, 1+\sqrt{19}", False, True),
    Pair("plus-minus in a set", r"\{1\pm\sqrt{5},-2\}", r"-2, 1+\sqrt5, 1-\sqrt5", False, True),
    Pair("open interval and list", "(-2,1)", "-2,1", False, False),
    Pair("point in the other order", "(1,2)", "(2,1)", False, False),
    Pair("point with three digits", "(12,102)", "12102", False, False),
    Pair("open and closed", "[1,2]", "(1,2)", False, False),
    Pair("tuple spelling", r"\left( 3, \frac{\pi}{2} \right)", r"(3,\pi/2)", False, True),
    Pair("brackets around a number", "(5)", "5", False, True),
    Pair("interval and inequality", r"m \geq \sqrt{2}", r"[\sqrt{2},\infty)", False, True),
    Pair("inequality turned round", r"\sqrt{2} \le m", r"m \geq \sqrt{2}", False, True),
    Pair("strict and not", "x > 2", r"x \ge 2", False, False),
    Pair("double inequality", r"-2 \le x \le 7", r"x \in [-2,7]", False, True),
    Pair("double inequality downwards", r"7 \ge x \ge -2", "[-2,7]", False, True),
    Pair("inequality times a factor", "2x + 1 < 4y", "4x + 2 < 8y", False, True),
    Pair("inequality times minus one", "2x + 1 < 4y", "-2x - 1 < -4y", False, False),
    Pair("union in the other order", r"(0,9) \cup (9,36)", r"(9,36) \cup (0,9)", False, True),
    Pair("half of a union", r"(0,9) \cup (9,36)", "(0,9)", False, False),
    Pair(
        "two inequalities are a union",
        "x < -2 or x > 3",
        r"(-\infty,-2) \cup (3,\infty)",
        False,
        True,
    ),
    Pair("set builder", r"\{x \mid x > 2\}", r"(2,\infty)", False, True),
    Pair("set builder with a colon", r"\{x : 2 \le x < 5\}", "[2,5)", False, True),
    Pair("all real numbers", r"\mathbb{R}", r"(-\infty,\infty)", False, True),
    Pair("infinity is no number", r"(2,\infty)", "(2,5)", False, False),
    # matrices
    Pair(
        "matrix brackets",
        r"\begin{pmatrix} 1 \\ 2 \end{pmatrix}",
        r"\begin{bmatrix} 1 \\ 2 \end{bmatrix}",
        False,
        True,
    ),
    Pair(
        "matrix entries by value",
        r"\begin{pmatrix} -1/3 \\ 2/3 \end{pmatrix}",
        r"\begin{pmatrix} -\frac13 \\ \frac23 \end{pmatrix}",
        False,
        True,
    ),
    Pair(
        "matrix transposed",
        r"\begin{pmatrix} 1 & 2 \\ 3 & 4 \end{pmatrix}",
        r"\begin{pmatrix} 1 & 3 \\ 2 & 4 \end{pmatrix}",
        False,
        False,
    ),
    Pair(
        "row and column",
        r"\begin{pmatrix} 1 & 2 \end{pmatrix}",
        r"\begin{pmatrix} 1 \\ 2 \end{pmatrix}",
        False,
        False,
    ),
    # expressions
    Pair("expanded", "(x+1)^2", "x^2+2x+1", False, True),
    Pair("order of terms", "p - q", "-q + p", False, True),
    Pair("order of factors", "x^2y", "yx^2", False, True),
    Pair("rationalised", r"\frac{1}{\sqrt3}", r"\frac{\sqrt{3}}{3}", False, True),
    Pair("root pulled out", r"\frac{3\sqrt{3}}{4}", r"\frac{3}{4}\sqrt{3}", False, True),
    Pair("root of twelve", r"\sqrt{12}", r"2\sqrt{3}", False, True),
    Pair("trigonometric identity", r"\sin^2 x + \cos^2 x", "1", False, True),
    Pair("cotangent", r"\cot x", r"\frac{\cos x}{\sin x}", False, True),
    Pair("complex order", "6 - 5i", "-5i + 6", False, True),
    Pair("complex square", "(1+i)^2", "2i", False, True),
    Pair("Euler", r"e^{i\pi}", "-1", False, True),
    Pair("modulus is no identity", "|x|", "x", False, False),
    Pair("root of a square", r"\sqrt{x^2}", "x", False, False),
    Pair("a variable is no unit", "5d", "5", False, False),
    Pair("two numbers are no sum", "2 3", "5", False, False),
    Pair("case of variables", "A", "a", False, False),
    Pair("case within a sum", "A+b", "a+B", False, False),
    Pair("superscript characters", "x²", "x^2", False, True),
    Pair("Greek character", "2π", r"2\pi", False, True),
    # words
    Pair("word in text", r"\text{east}", "east", True, True),
    Pair("capital", r"\text{East}", r"\text{east}", False, True),
    Pair("article", r"\text{an ellipse}", r"\text{ellipse}", True, True),
    Pair("anagram", r"\text{east}", r"\text{seat}", False, False),
    Pair("short word", r"\text{odd}", "odd", True, True),
    Pair("choice in brackets", r"\text{(C)}", "C", False, True),
    Pair("other choice", r"\text{(C)}", r"\text{(D)}", False, False),
    Pair("words of another script", r"\text{偶数}", "偶数", True, True),
    # over the limits: normalised strings decide
    Pair("tower of exponents", "9^{9^{9^9}}", "9^{9^{9^8}}", False, False),
    Pair("tower of exponents, respaced", "9^{9^{9^9}}", "9^{9^{ 9^9}}", True, True),
    Pair("sum sign", r"\sum_{k=1}^{9} k", "45", False, False),
]


@pytest.mark.parametrize("pair", PAIRS, ids=lambda pair: pair.name)
def test_normalised(pair: Pair) -> None:
    """Equality of normal forms, whichever of the two is the gold answer."""
    grades = {
        grade_answer(a, b, equivalence="normalised", kind="math")
        for a, b in ((pair.first, pair.second), (pair.second, pair.first))
    }
    assert grades == {Grade(correct=pair.normalised)}


@pytest.mark.parametrize("pair", PAIRS, ids=lambda pair: pair.name)
def test_by_value(pair: Pair) -> None:
    """Equal values with notes that do not contradict, whichever is the gold answer."""
    verdicts = {
        grade_answer(a, b, equivalence="by_value", kind="math").correct
        for a, b in ((pair.first, pair.second), (pair.second, pair.first))
    }
    assert verdicts == {pair.by_value}


def test_no_answer_is_wrong() -> None:
    """None is wrong, also where the gold answer is empty."""
    assert grade_answer(None, "", equivalence="normalised", kind="math") == Grade(correct=False)


@pytest.mark.parametrize(
    ("answer", "gold"),
    [
        ("9^{9^{9^9}}", "9^{9^{9^8}}"),
        ("x" * 300, "y"),
        ("(" * 20 + "x" + ")" * 20, "x"),
        ("x^{2000}", "y"),
        ("1000!", "y"),
        (r"\sum_{k=1}^{9} k", "45"),
    ],
    ids=["value", "length", "nesting", "exponent", "factorial", "operator"],
)
def test_what_is_over_the_limits_is_compared_as_strings(answer: str, gold: str) -> None:
    """And the grade says so."""
    assert grade_answer(answer, gold, equivalence="by_value", kind="math") == Grade(
        correct=False, compared_as_strings=True
    )


def test_over_the_limits_equal_strings_are_equal() -> None:
    """The normalised strings decide."""
    grade = grade_answer("x ^{2000}", "x^{2000}", equivalence="by_value", kind="math")
    assert grade == Grade(correct=True, compared_as_strings=True)


def test_numbers_need_no_algebra() -> None:
    """Answers of kind `number` that are no rational numbers are compared as normalised strings."""
    grade = grade_answer(r"\sqrt{16}", "4", equivalence="by_value", kind="number")
    assert grade == Grade(correct=False)


def test_a_verdict_is_the_same_in_any_thread() -> None:
    """No SIGALRM, which only the main thread may set; fresh answers, so that no cache replies."""
    pairs = [(f"(x+{n})^2", f"x^2+{2 * n}x+{n * n}") for n in range(1000, 1040)]

    def grade(pair: tuple[str, str]) -> Grade:
        return grade_answer(*pair, equivalence="by_value", kind="math")

    with ThreadPoolExecutor(4) as threads:
        assert set(threads.map(grade, pairs)) == {Grade(correct=True)}
