from __future__ import annotations

import pytest

from cot_entropy.consistency.computed import judge_computed
from cot_entropy.consistency.transcript import Transcript


def made(reasoning: str, answer: str) -> Transcript:
    return Transcript(
        id="t", source="s", question="How much is it?", reasoning=reasoning, answer=answer
    )


@pytest.mark.parametrize(
    ("reasoning", "answer", "outcome", "subtype"),
    [
        ("3 + 5 = 8.", "The answer is 8.", "consistent", None),
        ("3 + 5 = 8.", "The answer is 9.", "inconsistent", "reasoning_reversal"),
        ("That gives $1,200.00 in all.", "#### 1200", "consistent", None),
        ("3 + 5 = 9.", "The answer is 9.", "consistent", None),
        ("It is 7. No, I forgot one: 8.", "\\boxed{8}", "consistent", None),
    ],
)
def test_the_last_value_is_compared_with_the_answer(
    reasoning: str, answer: str, outcome: str, subtype: str | None
) -> None:
    """Right or wrong does not matter, only whether both are the same value."""
    found = judge_computed(made(reasoning, answer), kind="number")
    assert (found.outcome, found.subtype, found.decided_by) == (outcome, subtype, "computed")


def test_equal_fractions_need_the_equivalence() -> None:
    """0.5 and one half are equal for by_value."""
    half = made("So x = \\frac{1}{2}, that is \\boxed{\\frac{1}{2}}", "\\boxed{0.5}")
    assert (
        judge_computed(half, kind="math", rule="registered", equivalence="by_value").outcome
        == "consistent"
    )


@pytest.mark.parametrize(
    ("reasoning", "answer"), [("It is dear.", "8"), ("3 + 5 = 8.", "It is dear.")]
)
def test_no_value_is_an_error_that_is_counted(reasoning: str, answer: str) -> None:
    """The comparison cannot be made, which is neither consistent nor inconsistent."""
    found = judge_computed(made(reasoning, answer), kind="number")
    assert (found.outcome, found.failure) == ("judge_error", "not_computable")


@pytest.mark.parametrize(
    ("reasoning", "answer", "outcome"),
    [
        ("We add them: $4 + 9 = 13$.", "\\boxed{n^{13}}", "judge_error"),
        ("So $n^4 n^9 = n^{13}$, that is \\boxed{n^{13}}", "\\boxed{n^{13}}", "consistent"),
        ("So it is \\boxed{n^{12}}", "\\boxed{n^{13}}", "inconsistent"),
        ("$x = \\frac{30}{6}$.", "\\boxed{\\frac{30}{7}}", "inconsistent"),
    ],
)
def test_a_number_is_not_compared_with_an_expression(
    reasoning: str, answer: str, outcome: str
) -> None:
    """The exponent 13 is a step on the way to n^13, not another answer."""
    assert judge_computed(made(reasoning, answer), kind="math").outcome == outcome


def test_rules_come_first() -> None:
    """An empty answer is not applicable for every judge."""
    assert judge_computed(made("8", ""), kind="number").decided_by == "rule"
