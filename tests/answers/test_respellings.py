"""Every MATH-500 gold answer, respelled (the same) and changed in one character (another)."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

import pytest
from tests.answers.answer_data import rows

from cot_entropy.answers import Grade, grade_answer


def unsized(gold: str) -> str:
    return re.sub(r"\\(?:left|right)(?![a-z])", "", gold)


RESPELLINGS: dict[str, Callable[[str], str]] = {
    "sized brackets": lambda gold: re.sub(
        r"(?<!\\)[(\[]", r"\\left\g<0>", re.sub(r"[)\]]", r"\\right\g<0>", unsized(gold))
    ),
    "plain brackets": unsized,
    "display fractions": lambda gold: re.sub(r"\\d?frac", r"\\dfrac", gold),
    "display style": lambda gold: rf"\displaystyle {gold}",
    "round delimiters": lambda gold: rf"\({gold}\)",
    "square delimiters": lambda gold: rf"\[{gold}\]",
    "full stop": lambda gold: f"{gold}.",
    "braces": lambda gold: f"{{{gold}}}",
    "bold": lambda gold: f"**{gold}**",
    "Unicode minus": lambda gold: gold.replace("-", "−"),
    "full-width digits": lambda gold: re.sub(
        "[0-9]", lambda digit: chr(ord(digit[0]) + 0xFEE0), gold
    ),
    "lines": lambda gold: f"\n{gold}\n",
}


def golds() -> list[str]:
    return sorted({row["answer"] for row in rows("data/math500_test.jsonl")})


def changed(gold: str) -> Iterator[str]:
    """One digit one up, one lone letter another, or one sign turned."""
    for found in re.finditer(r"[0-9]|(?<![A-Za-z])[a-z](?![a-z])|[-+]", gold):
        old = found[0]
        if old.isdigit():
            new = str((int(old) + 1) % 10)
        elif old.isalpha():
            new = "w" if old == "z" else "z"
        else:
            new = "-" if old == "+" else "+"
        yield gold[: found.start()] + new + gold[found.end() :]


@pytest.mark.parametrize("respelling", RESPELLINGS)
def test_a_respelled_gold_is_the_same_answer(respelling: str) -> None:
    """By value, in both directions."""
    for gold in golds():
        other = RESPELLINGS[respelling](gold)
        for pair in ((gold, other), (other, gold)):
            grade = grade_answer(*pair, equivalence="by_value", kind="math")
            assert grade == Grade(correct=True), pair


def test_a_changed_gold_is_another_answer() -> None:
    """Under `by_value`, whatever character is changed."""
    same = [
        (gold, other)
        for gold in golds()
        for other in changed(gold)
        if grade_answer(other, gold, equivalence="by_value", kind="math").correct
    ]
    assert same == []


def test_a_changed_gold_is_another_answer_when_normalised() -> None:
    """Under `normalised` too, but that the published rules drop units and names."""
    same = {
        (gold, other)
        for gold in golds()
        for other in changed(gold)
        if grade_answer(other, gold, equivalence="normalised", kind="math").correct
    }
    assert same == {
        (r"15\mbox{ cm}^2", r"15\mbox{ cm}^3"),
        (r"864 \mbox{ inches}^2", r"864 \mbox{ inches}^3"),
        ("x=5", "z=5"),
        ("y = -2x", "z = -2x"),
        ("y = 2x + 3", "z = 2x + 3"),
    }
