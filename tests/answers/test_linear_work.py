"""The work of extraction grows linearly with the text: counted in regex steps, not timed."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from typing import get_args

import pytest
from answer_texts import TOKENS, hostile_text, seeded
from counting_regex import Counter, CountingPattern

from cot_entropy.answers import AnswerKind, ExtractionRule, boxes, extract, folding, numbers, robust

RULES: tuple[ExtractionRule, ...] = get_args(ExtractionRule)
KINDS: tuple[AnswerKind, ...] = get_args(AnswerKind)
LENGTH = 240

REPEATED = [
    *(
        "1",
        "1,000",
        "1,000,",
        "0.",
        "1.000",
        "-",
        "-1",
        "1e",
        "1/2",
        "2 2/3 ",
        "10^{1}",
        "\\frac{1}{2}",
    ),
    *(
        "\\boxed{",
        "\\boxed{1}",
        "\\boxed",
        "\\boxed}",
        "\\boxed $",
        "{",
        "}",
        "{}",
        "\\",
        "\\fbox{\\boxed",
    ),
    *(
        "answer ",
        "answer is ",
        "answer      ",
        "Answer:",
        "Answer: ",
        "####",
        "#### ",
        "A:\n",
        "final answer:",
    ),
    *(
        " ",
        "\n",
        "\t",
        "*",
        "# ",
        "$",
        "$a",
        "\\(",
        ". ",
        "! *",
        "Question:\n",
        "Q:",
        "答案",
        "１",
        "½",
        "x",
    ),
]


@pytest.fixture
def counter(monkeypatch: pytest.MonkeyPatch) -> Iterator[Counter]:
    counter = Counter()
    for module in (boxes, folding, numbers, robust):
        for name, value in vars(module).items():
            if isinstance(value, re.Pattern):
                monkeypatch.setattr(module, name, CountingPattern(value, counter))
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(100_000)
    yield counter
    sys.setrecursionlimit(limit)


def steps(text: str, counter: Counter) -> int:
    before = counter.steps
    for rule, kind in (("registered", "math"), ("robust", "math"), ("robust", "number")):
        extract(text, rule=rule, kind=kind)
    return counter.steps - before


def assert_linear(unit: str, counter: Counter) -> None:
    """Twice the text costs at most a quarter more than twice the steps; quadratic would be four."""
    short = unit * (LENGTH // len(unit))
    assert steps(short + short, counter) <= 2.5 * steps(short, counter) + 1000


@pytest.mark.parametrize("unit", REPEATED)
def test_repeated(unit: str, counter: Counter) -> None:
    """One token over and over, the classic trap of a backtracking engine."""
    assert_linear(unit, counter)


@pytest.mark.parametrize("seed", range(8))
def test_repeated_hostile_text(seed: int, counter: Counter) -> None:
    """A mangled text over and over."""
    assert_linear(hostile_text(seeded(seed)), counter)


@pytest.mark.full
@pytest.mark.parametrize("unit", TOKENS)
def test_every_token_repeated(unit: str, counter: Counter) -> None:
    """All tokens of the fuzz tests."""
    assert_linear(unit, counter)


def test_the_counter_sees_quadratic_work() -> None:
    """The check can fail: `a*b` over a text of `a` is tried from every start."""
    counter = Counter()
    pattern = CountingPattern(re.compile("a*b"), counter)
    counts = []
    for length in (100, 200):
        before = counter.steps
        pattern.search("a" * length)
        counts.append(counter.steps - before)
    assert counts[1] > 3.5 * counts[0]


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("kind", KINDS)
def test_megabytes_of_garbage(rule: ExtractionRule, kind: AnswerKind) -> None:
    """The answer at the end of three megabytes is found."""
    garbage = hostile_text(seeded(5), tokens=40).replace("\\boxed", "").replace("{", "")
    text = garbage * (3_000_000 // len(garbage)) + "\n\nThat is 1,234 in all"
    assert extract(text, rule=rule, kind=kind) is not None
