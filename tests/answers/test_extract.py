"""What each extraction rule gives."""

import pytest
from tests.answers.answer_cases import CASES, Case

from cot_entropy.answers import extract, is_cut_at_comma


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_registered(case: Case) -> None:
    """R26: the last number, cleaned; for MATH the last box comes first."""
    assert extract(case.text, rule="registered", kind=case.kind) == case.registered


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_zhao(case: Case) -> None:
    """Z26: the last integer or decimal."""
    assert extract(case.text, rule="zhao", kind=case.kind) == case.zhao


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_robust(case: Case) -> None:
    """Ours: marker or box, then "answer is", then the last number."""
    assert extract(case.text, rule="robust", kind=case.kind) == case.robust


def test_zhao_ignores_the_kind() -> None:
    """Z26 has no boxed path: both datasets go through the same regex."""
    text = r"\boxed{3} of 4"
    assert extract(text, rule="zhao", kind="math") == extract(text, rule="zhao", kind="number")


def test_there_are_more_than_a_hundred_cases_of_our_own() -> None:
    """Each is named once."""
    assert len({case.name for case in CASES}) == len(CASES) >= 100


@pytest.mark.parametrize(
    ("text", "answer", "cut"),
    [
        ("It is 3,5", "5", True),
        ("It is 1,00,000", "00000", True),
        ("It is 12,34,567", "34567", True),
        ("It is 3,5,7", "7", True),
        ("Of 3,5 and 8", "8", False),
        ("It is 1,000", "1000", False),
        ("It is 1,234,567", "1234567", False),
        ("It is 3, 5", "5", False),
        ("It is 35", "35", False),
    ],
)
def test_digits_that_commas_join_otherwise_are_noticed(text: str, answer: str, cut: bool) -> None:
    """Where the answer is a part of them: what is read stays, and it is counted."""
    assert extract(text, rule="registered", kind="number") == answer
    assert is_cut_at_comma(text, answer, rule="registered", kind="number") is cut


def test_a_box_is_not_cut() -> None:
    """Its content is the answer, comma and all."""
    assert extract(r"\boxed{3,5}", rule="registered", kind="math") == "3,5"
    assert not is_cut_at_comma(r"\boxed{3,5}", "3,5", rule="registered", kind="math")
