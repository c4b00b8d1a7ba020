"""Word problems: golds recomputed from the worked solution and from the story."""

import re

import pytest

from cot_entropy.data.generate import strata, take
from cot_entropy.data.questions import Problem
from cot_entropy.data.wordproblems import MAX_STEPS, RANGES, Move, problems, templates

ALL = strata(steps=(1, 2, 3, 4, 5), sizes=("small", "large"), distractors=("no", "yes"))
DRAWN = take(problems(seed=11, split="evaluation", kinds=ALL), 2000)
COMPUTE = {
    "+": lambda left, right: left + right,
    "-": lambda left, right: left - right,
    "*": lambda left, right: left * right,
    "/": lambda left, right: left / right,
}
LINE = re.compile(r"(\d+) ([-+*/]) (\d+) = (\d+)\.$")


def replay(problem: Problem) -> float:
    """The gold from the story alone: each sentence is matched to its template and carried out."""
    template = next(item for item in templates() if problem.question.id.startswith(f"{item.name}-"))
    text = problem.question.text
    start = pattern(template.opening).match(text)
    assert start
    value: float = int(start["x"])
    moves = [*([template.first] if template.first else []), *template.moves]
    found = [(hit.start(), move, int(hit["k"])) for move in moves if (hit := find(move, text))]
    for _, move, number in sorted(found, key=lambda item: item[0]):
        value = COMPUTE[move.operation](value, number)
    return value


def find(move: Move, text: str) -> re.Match[str] | None:
    return pattern(move.text).search(text)


def pattern(text: str) -> re.Pattern[str]:
    escaped = re.escape(text).replace(r"\{name\}", r"\w+")
    escaped = re.sub(r"\\\{([xk])\\\}", r"(?P<\1>\\d+)", escaped, count=1)
    return re.compile(escaped)


def test_there_are_at_least_thirty_templates() -> None:
    """The names are distinct too."""
    assert len({item.name for item in templates()}) >= 30


def test_every_template_can_have_one_to_five_steps() -> None:
    """No template runs out of moves."""
    assert all(len(item.moves) + (item.first is not None) >= MAX_STEPS for item in templates())


def test_every_template_is_drawn() -> None:
    """2,000 questions meet them all."""
    met = {item.question.id.rpartition("-")[0] for item in DRAWN}
    assert met == {item.name for item in templates()}


def test_every_line_of_a_solution_is_true_and_follows_from_the_last() -> None:
    """Each `a op b = c` is recomputed, and a is the c of the line before."""
    for problem in DRAWN:
        value = int(problem.units[0].removeprefix("Start with ").removesuffix("."))
        for unit in problem.units[1:-1]:
            found = LINE.search(unit)
            assert found, unit
            left, right, result = int(found[1]), int(found[3]), int(found[4])
            assert left == value
            assert COMPUTE[found[2]](left, right) == result
            value = result
        assert problem.question.gold == str(value)


def test_the_gold_is_what_the_story_tells() -> None:
    """The story, read sentence by sentence against its template, ends at the gold."""
    for problem in DRAWN:
        assert replay(problem) == int(problem.question.gold), problem.question.text


def test_the_last_unit_states_the_gold() -> None:
    """The last number of the chain is the gold: what the registered extraction reads."""
    for problem in DRAWN:
        assert re.findall(r"\d+", problem.units[-1]) == [problem.question.gold]


def test_a_solution_has_two_units_more_than_steps() -> None:
    """The start, one unit per step, the answer."""
    for problem in DRAWN:
        steps = re.match(r"steps=(\d)", problem.question.stratum or "")
        assert steps
        assert len(problem.units) == int(steps[1]) + 2


@pytest.mark.parametrize("size", ["small", "large"])
def test_no_value_on_the_way_leaves_its_range(size: str) -> None:
    """Values stay whole, above zero, and at most the size's highest."""
    highest = {"small": RANGES["small"], "large": RANGES["large"]}[size].highest
    for problem in DRAWN:
        if f"size={size}" in (problem.question.stratum or ""):
            assert all(
                0 < int(found[4]) <= highest for found in map(LINE.search, problem.units) if found
            )


def test_a_distractor_adds_one_number_that_no_step_uses() -> None:
    """A question has its start, one number a step, and one more with a distractor."""
    for problem in DRAWN:
        steps, _, distractor = (
            part.partition("=")[2] for part in problem.question.stratum.split(";")
        )
        numbers = re.findall(r"\d+", problem.question.text)
        assert len(numbers) == int(steps) + 1 + (distractor == "yes"), problem.question.text


def test_no_placeholder_is_left_in_a_text() -> None:
    """Every name and number of a template was filled in."""
    assert not any("{" in item.question.text or "}" in item.question.text for item in DRAWN)
