"""Unicode spellings fold to ASCII and LaTeX."""

import sys
import unicodedata

import pytest

from cot_entropy.answers.folding import GROUP_SPACE, fold, fold_symbols


def test_every_decimal_digit_of_unicode() -> None:
    """As the Unicode database values it."""
    digits = [chr(c) for c in range(sys.maxunicode + 1) if unicodedata.category(chr(c)) == "Nd"]
    assert len(digits) >= 650
    assert all(fold(digit) == str(unicodedata.decimal(digit)) for digit in digits)


@pytest.mark.parametrize(
    ("text", "folded"),
    [
        ("−5", "-5"),
        ("１，２５０", "1,250"),
        ("５０％", "50%"),
        ("1\u202f000", f"1{GROUP_SPACE}000"),
        ("x²", "x²"),
        ("no digits – here", "no digits - here"),
        ("plain", "plain"),
    ],
)
def test_fold(text: str, folded: str) -> None:
    """Digits, full-width forms, minus signs and grouping spaces; superscripts are no digits."""
    assert fold(text) == folded


@pytest.mark.parametrize(
    ("text", "latex"),
    [
        ("x²", "x^{2}"),
        ("10⁻¹²", "10^{-12}"),
        ("x₁", "x_{1}"),
        ("2½", "2 1/2"),
        ("90°", r"90^\circ "),
        ("2π", r"2\pi "),
        ("−∞", r"-\infty "),
        ("1 ≤ x", r"1 \le  x"),
    ],
)
def test_fold_symbols(text: str, latex: str) -> None:
    """Characters that LaTeX writes as commands."""
    assert fold_symbols(text) == latex
