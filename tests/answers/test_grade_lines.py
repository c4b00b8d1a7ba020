"""`cot-entropy grade`: JSON lines in, JSON lines out (contract 1)."""

import io
import json

import pytest

from cot_entropy.answers import grade_lines
from cot_entropy.base.errors import UserError


def grade(text: str, **options: str) -> list[dict[str, object]]:
    out = io.StringIO()
    grade_lines(io.BytesIO(text.encode()), out, **({"dataset": "gsm8k"} | options))  # type: ignore[arg-type]
    return [json.loads(line) for line in out.getvalue().splitlines()]


def lines(*records: dict[str, object]) -> str:
    return "".join(json.dumps(record) + "\n" for record in records)


def test_verdicts_come_in_the_order_of_the_lines() -> None:
    """One line out per line in, with the id as given."""
    text = lines(
        {"id": "b", "completion": "It is 4", "gold": "4"},
        {"id": 7, "completion": "It is 5", "gold": "4"},
    )
    assert grade(text) == [
        {"id": "b", "answer": "4", "correct": True},
        {"id": 7, "answer": "5", "correct": False},
    ]


def test_no_answer_is_null_and_wrong() -> None:
    """`null`, not an empty string."""
    text = lines({"id": 1, "completion": "I cannot tell", "gold": "4"})
    assert grade(text) == [{"id": 1, "answer": None, "correct": False}]


def test_the_dataset_decides_the_kind() -> None:
    """The same completion has a boxed answer for MATH only."""
    text = lines({"id": 1, "completion": r"\boxed{x+1} for 3", "gold": "1+x"})
    options = {"extraction": "registered", "equivalence": "by_value"}
    assert grade(text, **options)[0] == {"id": 1, "answer": "3", "correct": False}
    assert grade(text, dataset="math", **options)[0] == {"id": 1, "answer": "x+1", "correct": True}


def test_extraction_is_chosen() -> None:
    """`zhao` keeps the trailing zero that `registered` takes off."""
    text = lines({"id": 1, "completion": "It is 4.0", "gold": "4"})
    assert [grade(text, extraction=rule)[0]["answer"] for rule in ("registered", "zhao")] == [
        "4",
        "4.0",
    ]


def test_blank_lines_are_no_records() -> None:
    """As in any JSON lines file."""
    text = "\n" + lines({"id": 1, "completion": "4", "gold": "4"}) + "\n"
    assert len(grade(text)) == 1


def test_empty_input_gives_empty_output() -> None:
    """No records, no lines."""
    assert grade("") == []


def test_any_text_survives_the_round_trip() -> None:
    """Lone surrogates and control characters included."""
    text = '{"id": "\\ud800\\u0000", "completion": "\\ud800 4", "gold": "4"}\n'
    assert grade(text) == [{"id": "\ud800\u0000", "answer": "4", "correct": True}]


def test_output_is_ascii() -> None:
    """So that no locale can fail to encode it."""
    out = io.StringIO()
    record = {"id": "é", "completion": r"\boxed{\text{偶数}}", "gold": "偶数"}
    grade_lines(io.BytesIO(lines(record).encode()), out, dataset="math")
    assert out.getvalue().isascii()


GOOD = '{"id": 1, "completion": "4", "gold": "4"}\n'


@pytest.mark.parametrize(
    ("line", "complaint"),
    [
        ("{", "not a JSON line"),
        ("[1]", "expected a JSON object, got list"),
        ('{"id": 1, "gold": "4"}', "key `completion` is missing"),
        ('{"completion": "4", "gold": "4"}', "key `id` is missing"),
        ('{"id": 1, "completion": "4"}', "key `gold` is missing"),
        ('{"id": 1, "completion": 4, "gold": "4"}', "`completion` must be a string"),
        ('{"id": 1, "completion": "4", "gold": null}', "`gold` must be a string"),
        ('{"id": NaN, "completion": "4", "gold": "4"}', "NaN"),
        ('{"id": 1e999, "completion": "4", "gold": "4"}', "`id` must be a string or a number"),
        ('{"id": [1], "completion": "4", "gold": "4"}', "`id` must be a string or a number"),
        ("[" * 100_000, "not a JSON line"),
    ],
)
def test_a_malformed_line_is_named(line: str, complaint: str) -> None:
    """One line of error with line number and reason; exit code 2; nothing on stdout."""
    out = io.StringIO()
    with pytest.raises(UserError, match=r"^stdin:3: ") as caught:
        grade_lines(io.BytesIO((GOOD + GOOD + line + "\n").encode()), out, dataset="gsm8k")
    assert complaint in str(caught.value)
    assert "\n" not in str(caught.value)
    assert caught.value.exit_code == 2
    assert out.getvalue() == ""


def test_bytes_that_are_no_text_are_a_malformed_line() -> None:
    """A binary stream is decoded line by line."""
    with pytest.raises(UserError, match=r"^stdin:2: not UTF-8"):
        grade_lines(io.BytesIO(GOOD.encode() + b"\xff\n"), io.StringIO(), dataset="gsm8k")


def test_a_line_is_bounded() -> None:
    """An endless line does not fill the memory."""
    with pytest.raises(UserError, match=r"^stdin:1: line longer than"):
        grade_lines(io.BytesIO(b"x" * (64 * 1024 * 1024 + 2)), io.StringIO(), dataset="gsm8k")


def said(gold: str, **options: str) -> str:
    line = lines({"id": 1, "completion": "It is 1", "gold": gold})
    settings = {"dataset": "gsm8k"} | options
    return str(grade_lines(io.BytesIO(line.encode()), io.StringIO(), **settings))  # type: ignore[arg-type]


@pytest.mark.parametrize("gold", ["145.0", "+145", "145.00", "$145", "145 dollars", "145."])
@pytest.mark.parametrize("extraction", ["registered", "zhao", "robust"])
@pytest.mark.parametrize("equivalence", ["normalised", "by_value"])
def test_a_gold_is_read_as_a_number(gold: str, extraction: str, equivalence: str) -> None:
    """As when a dataset is loaded."""
    text = lines({"id": 1, "completion": "There are 145 pages left.", "gold": gold})
    assert grade(text, extraction=extraction, equivalence=equivalence)[0]["correct"] is True


@pytest.mark.parametrize(
    ("gold", "options"),
    [
        ("seven", {}),
        ("3,5", {}),
        ("1,00,000", {}),
        ("18 or 20", {}),
        ("3/4", {}),
        ("1/3", {"extraction": "zhao", "equivalence": "by_value"}),
        ("x+1", {"dataset": "math", "extraction": "zhao"}),
        ("\x0crac{1}{2}", {"dataset": "math"}),
        (r"\frac{1}{2", {"dataset": "math"}),
    ],
)
def test_a_gold_that_no_answer_can_equal_is_said(gold: str, options: dict[str, str]) -> None:
    """Under the rule and equivalence at hand, with the number of its line."""
    assert "no answer can equal the gold in line 1" in said(gold, **options)


@pytest.mark.parametrize(
    ("gold", "options"),
    [
        ("145.0", {}),
        ("3/4", {"extraction": "robust"}),
        ("1/3", {"extraction": "robust", "equivalence": "by_value"}),
        ("3/4", {"equivalence": "by_value"}),
        ("x+1", {"dataset": "math"}),
        ("0.5", {"dataset": "math", "extraction": "zhao"}),
        (r"\frac{1}{2}", {"dataset": "math", "extraction": "zhao"}),
    ],
)
def test_a_gold_that_an_answer_can_equal_is_not(gold: str, options: dict[str, str]) -> None:
    """Each has a text that gives it."""
    assert "no answer can equal" not in said(gold, **options)


def test_a_solution_as_gold_gets_the_hint() -> None:
    """As `questions` gives it."""
    assert said("3+4=7 #### 7").endswith("in line 1; the gold is what follows `####`")
    assert said("3+4=7 #### 7", dataset="math").endswith("the gold is what follows `####`")
