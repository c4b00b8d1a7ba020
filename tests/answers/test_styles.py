r"""Style and ordinals: `\\mathbf{7}` is 7 and `12^{\\text{th}}` is 12 by value, powers are neither.

The registered rule unwraps what the published normalisation unwraps, and no more.
"""

import pytest

from cot_entropy.answers import grade_answer
from cot_entropy.answers.normalise import normalise
from cot_entropy.answers.styles import unstyled

SEVEN = [
    r"\mathbf{7}", r"\boldsymbol{7}", r"\bm{7}", r"\pmb{7}", r"\mathrm{7}", r"\mathit{7}",
    r"\mathsf{7}", r"\mathtt{7}", r"\mathnormal{7}", r"\textbf{7}", r"\textit{7}", r"\textrm{7}",
    r"\texttt{7}", r"\textsf{7}", r"\text{7}", r"\mbox{7}", r"\emph{7}", r"\underline{7}",
    r"\underline{\underline{7}}", r"\mathbf{\text{7}}", r"\boxed{7}", r"\fbox{7}", r"{\bf 7}",
    r"\bf{7}", r"\bf 7", r"{\bfseries 7}", r"\rm{7}", r"\mathbf 7", r"\mathbf7", r"\large 7",
    r"{\Large \mathbf{7}}", r"\textstyle 7", r"\textcolor{red}{7}", r"\color{red}{7}",
    r"\color{red} 7", r"{\color{red} 7}", r"\colorbox{yellow}{7}", r"\ensuremath{7}",
    r"\text{ 7 }", r"\mathbf{\mathrm{7}}", r"\text{\textbf{7}}",
]  # fmt: skip
SAME = [
    (r"\mathbf{-7}", "-7"),
    (r"-\mathbf{7}", "-7"),
    (r"\text{-7}", "-7"),
    (r"\mathbf{1{,}200}", "1200"),
    (r"\mathbf{\frac{1}{2}}", "0.5"),
    (r"\mathbf{\sqrt{2}}", r"\sqrt2"),
    (r"\mathbf{x^2+1}", "x^2+1"),
    (r"\mathbf{x} + 1", "x+1"),
    (r"x = \mathbf{7}", "7"),
    (r"\mathbf{12}^2", "144"),
    (r"\mathbf{1}, \mathbf{2}", "1,2"),
    (r"(\mathbf{1}, \mathbf{2})", "(1,2)"),
    (r"\mathbf{7}\text{ cm}", "7 cm"),
    (r"\mathbf{7\text{ cm}}", "7 cm"),
    (r"\text{7 cm}", "7 cm"),
    (r"\mathrm{7\,cm}", "7 cm"),
    (r"7\,\mathrm{cm}", "7 cm"),
    (r"7\,{\rm cm}", "7 cm"),
    (r"7\,\rm{cm}", "7 cm"),
    (r"\textbf{(C)}", "C"),
    (r"\mathbf{Yes}", r"\text{Yes}"),
]
OTHER = [
    (r"\mathbf{7}", "8"),
    (r"\mathbf{7}", r"\mathbf{-7}"),
    (r"\mathbf{7}^2", "7"),
    (r"5\,\mathrm{m}", r"5\,\mathrm{s}"),
    (r"\mathbb{R}", "R"),
    (r"\text{A1}", "A"),
    (r"\overline{7}", "7"),
    (r"\sqrt{7}", "7"),
]
ORDINALS = [
    (r"12^{\text{th}}", "12"),
    (r"12^\text{th}", "12"),
    (r"12\text{th}", "12"),
    (r"12\text{-th}", "12"),
    (r"12^{\mathrm{th}}", "12"),
    (r"12^{\rm th}", "12"),
    (r"12^{\textup{th}}", "12"),
    (r"12^{\textbf{th}}", "12"),
    (r"12\textsuperscript{th}", "12"),
    (r"12^{th}", "12"),
    ("12th", "12"),
    ("12-th", "12"),
    ("12 th", "12"),
    (r"\text{12th}", "12"),
    (r"\text{12}^{\text{th}}", "12"),
    (r"1^{\text{st}}", "1"),
    ("21st", "21"),
    (r"2^{\text{nd}}", "2"),
    (r"3^{rd}", "3"),
    ("11th", "11"),
    ("112th", "112"),
    (r"n^{\text{th}}", "n"),
]
NO_ORDINALS = [
    (r"2^{st}", "2"),
    (r"2^{th}", "2"),
    (r"11^{st}", "11"),
    (r"12^{\text{th}}", "13"),
    (r"12^{\text{th}}", "12^2"),
    (r"12^{\text{th}}", r"12^\circ"),
    (r"12^{t}", "12"),
]


def same(first: str, second: str) -> set[bool]:
    pairs = ((first, second), (second, first))
    return {grade_answer(*pair, equivalence="by_value", kind="math").correct for pair in pairs}


@pytest.mark.parametrize("styled", SEVEN)
def test_a_styled_number_is_the_number(styled: str) -> None:
    """By value, whichever is the gold; in a dataset of numbers too."""
    assert same(styled, "7") == {True}
    assert grade_answer(styled, "7", equivalence="by_value", kind="number").correct


@pytest.mark.parametrize(("styled", "plain"), [*SAME, *ORDINALS])
def test_style_and_ordinals_change_no_value(styled: str, plain: str) -> None:
    """By value, whichever is the gold."""
    assert same(styled, plain) == {True}


@pytest.mark.parametrize(("first", "second"), [*OTHER, *NO_ORDINALS])
def test_what_is_no_style_is_another_answer(first: str, second: str) -> None:
    """Marks that mean something, units, and powers whose letters are no ordinal's."""
    assert same(first, second) == {False}


@pytest.mark.parametrize(
    ("answer", "form"),
    [
        (r"\textbf{7}", "7"),
        (r"\text{7}", "7"),
        (r"\mbox{7}", "7"),
        (r"\boxed{7}", "7"),
        (r"12\mathrm{th}", "12"),
        (r"\mathbf{7}", r"\mathbf{7}"),
        (r"12^{\text{th}}", "12^{th}"),
        (r"12\text{th}", "12th"),
    ],
)
def test_the_registered_rule_unwraps_what_the_published_one_does(answer: str, form: str) -> None:
    r"""Appendix D of Lewkowycz et al. names `\text`, `\textbf`, `\boxed` and `\mathrm{th}`."""
    assert normalise(answer) == form


def test_an_unclosed_style_stays() -> None:
    """Nothing is guessed."""
    assert unstyled(r"\mathbf{7") == r"\mathbf{7"
