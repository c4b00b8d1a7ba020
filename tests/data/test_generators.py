"""Drawing generated questions: splits, seeds, strata."""

import hashlib
from itertools import islice

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cot_entropy.base.errors import DataError
from cot_entropy.data import latex, wordproblems
from cot_entropy.data.generate import Draft, Stratum, draw, split_of, strata, take

SOURCES = {"wordproblems": wordproblems, "latex": latex}
ALL = strata(steps=(1, 2, 3), sizes=("small", "large"), distractors=("no", "yes"))


@pytest.mark.parametrize("name", SOURCES)
def test_the_same_seed_draws_the_same_problems(name: str) -> None:
    """A draw is a function of its seed."""
    first = take(SOURCES[name].problems(seed=3, split="evaluation", kinds=ALL), 50)
    again = take(SOURCES[name].problems(seed=3, split="evaluation", kinds=ALL), 50)
    assert first == again


@pytest.mark.parametrize("name", SOURCES)
def test_another_seed_draws_other_problems(name: str) -> None:
    """Two seeds do not give the same questions."""
    first = take(SOURCES[name].problems(seed=3, split="evaluation", kinds=ALL), 50)
    other = take(SOURCES[name].problems(seed=4, split="evaluation", kinds=ALL), 50)
    assert first != other


@pytest.mark.parametrize("name", SOURCES)
def test_a_longer_draw_begins_with_the_shorter(name: str) -> None:
    """Asking for more questions changes none of those asked before."""
    short = take(SOURCES[name].problems(seed=0, split="evaluation", kinds=ALL), 20)
    long = take(SOURCES[name].problems(seed=0, split="evaluation", kinds=ALL), 60)
    assert long[:20] == short


@pytest.mark.parametrize("name", SOURCES)
def test_a_draw_repeats_no_question(name: str) -> None:
    """Texts and ids are distinct."""
    drawn = take(SOURCES[name].problems(seed=0, split="evaluation", kinds=ALL), 1000)
    assert len({item.question.text for item in drawn}) == 1000
    assert len({item.question.id for item in drawn}) == 1000


@pytest.mark.parametrize("name", SOURCES)
def test_strata_come_in_equal_shares(name: str) -> None:
    """Every stratum of twelve is drawn five times in sixty."""
    drawn = take(SOURCES[name].problems(seed=0, split="evaluation", kinds=ALL), 60)
    counts = [sum(item.question.stratum == str(kind) for item in drawn) for kind in ALL]
    assert counts == [5] * 12


@given(st.text())
def test_a_text_is_in_the_split_that_its_sha256_says(text: str) -> None:
    """Odd first byte: training. The rule sees the text only, so no seed can move a question."""
    expected = "train" if hashlib.sha256(text.encode()).digest()[0] % 2 == 1 else "evaluation"
    assert split_of(text) == expected


@pytest.mark.parametrize("name", SOURCES)
@pytest.mark.parametrize("seed", [0, 1, 7])
def test_training_and_evaluation_never_share_a_question(name: str, seed: int) -> None:
    """Also with one seed for both, and with draws that exhaust the easiest families."""
    trained = take(SOURCES[name].problems(seed=seed, split="train", kinds=ALL), 2000)
    asked = take(SOURCES[name].problems(seed=seed, split="evaluation", kinds=ALL), 2000)
    assert not {item.question.text for item in trained} & {item.question.text for item in asked}


def test_an_exhausted_stratum_is_an_error_not_an_endless_loop() -> None:
    """A generator of one question gives one, then says so."""
    kinds = (Stratum(1, "small", "no"),)
    texts = [text for text in ("a", "b", "c", "d") if split_of(text) == "evaluation"]
    drawn = draw(
        lambda rng, _: Draft("t", rng.choice(texts), "1", ("The answer is 1.",)),
        name="tiny",
        seed=0,
        split="evaluation",
        kinds=kinds,
    )
    assert len(list(islice(drawn, len(texts)))) == len(texts)
    with pytest.raises(DataError, match=r"tiny: no new question with steps=1;size=small"):
        next(drawn)


def test_units_are_separated_by_blank_lines() -> None:
    """The worked solution is cut into its units by the registered segmentation."""
    (problem,) = take(wordproblems.problems(seed=0, split="train", kinds=ALL), 1)
    assert problem.solution.split("\n\n") == list(problem.units)
