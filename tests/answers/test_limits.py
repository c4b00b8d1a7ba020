"""The registered limits, decided by the text alone."""

import pytest

from cot_entropy.answers.limits import (
    MAX_DIGITS,
    MAX_EXPONENT,
    MAX_FACTORIAL,
    MAX_LENGTH,
    MAX_NESTING,
    within_limits,
)


@pytest.mark.parametrize(
    ("within", "over"),
    [
        ("x" * MAX_LENGTH, "x" * (MAX_LENGTH + 1)),
        ("(" * MAX_NESTING + ")" * MAX_NESTING, "(" * (MAX_NESTING + 1) + ")" * (MAX_NESTING + 1)),
        ("1" * MAX_DIGITS, "1" * (MAX_DIGITS + 1)),
        (f"x^{{{MAX_EXPONENT}}}", f"x^{{{MAX_EXPONENT + 1}}}"),
        (f"x^{MAX_EXPONENT}", f"x^-{MAX_EXPONENT + 1}"),
        (f"{MAX_FACTORIAL}!", f"{MAX_FACTORIAL + 1}!"),
        (r"\binom{100}{50}", r"\binom{1000}{500}"),
        (r"\binom{5}{2}", r"\binom{n}{2}"),
        ("x", r"\sum_{k=1}^{9} k"),
        ("x", r"\int_0^1 x"),
        (r"\sin x", r"\lim_{x \to 0} x"),
    ],
)
def test_limit(within: str, over: str) -> None:
    """The last text inside and the first outside."""
    assert [within_limits(within), within_limits(over)] == [True, False]
