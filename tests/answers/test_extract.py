"""What each extraction rule gives."""

import pytest
from answer_cases import CASES, Case

from cot_entropy.answers import extract


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
