"""Generated solutions are in the form that the registered protocol reads."""

import pytest

from cot_entropy.answers import AnswerKind, extract, grade_answer
from cot_entropy.data import latex, wordproblems
from cot_entropy.data.generate import strata, take
from cot_entropy.data.questions import Problem
from cot_entropy.generate.segmentation.blank_lines import units as blank_lines

ALL = strata(steps=(1, 2, 3), sizes=("small", "large"), distractors=("no", "yes"))
WORDS = take(wordproblems.problems(seed=2, split="train", kinds=ALL), 300)
EXERCISES = take(latex.problems(seed=2, split="train", kinds=ALL), 300)


@pytest.mark.parametrize(("problems", "kind"), [(WORDS, "number"), (EXERCISES, "math")])
def test_the_registered_extraction_finds_the_gold(
    problems: tuple[Problem, ...], kind: AnswerKind
) -> None:
    """In the whole solution, under registered extraction and normalised equality."""
    for item in problems:
        answer = extract(item.solution, rule="registered", kind=kind)
        gold = item.question.gold
        assert grade_answer(answer, gold, equivalence="normalised", kind=kind).correct, item


@pytest.mark.parametrize("problems", [WORDS, EXERCISES])
def test_the_registered_segmentation_finds_the_units(problems: tuple[Problem, ...]) -> None:
    """One reasoning step, one unit."""
    for item in problems:
        spans = blank_lines(item.solution)
        assert [item.solution[start:end] for start, end in spans] == list(item.units)
