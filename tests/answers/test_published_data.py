"""Real benchmark files: published verdicts, gold answers, the shared cases."""

from __future__ import annotations

import io
import json
from itertools import combinations, product

import pytest
from tests.answers.answer_data import rows

from cot_entropy.answers import (
    KINDS,
    AnswerKind,
    Dataset,
    Equivalence,
    ExtractionRule,
    cluster,
    extract,
    grade_answer,
    grade_lines,
)
from cot_entropy.protocol.names import EQUIVALENCES, EXTRACTIONS

RULES = EXTRACTIONS.names
MODELS = ("6b_finetuning", "6b_verification", "175b_finetuning", "175b_verification")

CASE_IDS = [
    *("c01", "c03", "c05", "c07", "c09", "c11", "c13", "c14", "c16", "c19", "c20", "c22", "c24"),
    *("c26", "c28", "c30", "c32", "c33", "c35", "c37", "c39", "c42", "c44", "c46", "c48"),
]

NORMALISED_PAIRS = {
    (r"10,\!080", "10080"),  # one number
    ("120", r"120^\circ"),  # degree mark left out
    ("15", r"15\mbox{ cm}^2"),  # unit left out
    (r"2 \sqrt{5}", r"2\sqrt{5}"),  # a space
    ("30", r"30^\circ"),  # degree mark left out
    ("36", r"36^\circ"),  # degree mark left out
    ("36", r"\$36"),  # currency left out
    (r"36^\circ", r"\$36"),  # the published rules remove both marks; by_value keeps them apart
    ("5", "x=5"),  # name left out
    ("90", r"90^\circ"),  # degree mark left out
    (r"\frac14", r"\frac{1}{4}"),  # braces left out
}
"""Every pair of distinct MATH-500 golds that `normalised` calls equal, each looked at."""

BY_VALUE_PAIRS = (NORMALISED_PAIRS - {(r"36^\circ", r"\$36")}) | {
    ("-2,1", "1,-2"),  # both questions ask for all such integers: a set, in two orders
    ("40", "40_9"),  # base left out
}
"""Every pair of distinct MATH-500 golds that `by_value` calls equal, each looked at."""


@pytest.mark.parametrize("case_id", CASE_IDS)
def test_shared_case(case_id: str) -> None:
    """`robust` and `by_value` give what the public report calls right."""
    case = next(row for row in rows("cases/answer_cases.jsonl") if row["id"] == case_id)
    dataset: Dataset = case["dataset"]
    answer = extract(case["completion"], rule="robust", kind=KINDS[dataset])
    grade = grade_answer(answer, case["gold"], equivalence="by_value", kind=KINDS[dataset])
    assert (answer, grade.correct) == (case["expected_answer"], case["expected_correct"])


def test_no_shared_case_is_left_out() -> None:
    """A case that is added to the file needs its line here."""
    assert [row["id"] for row in rows("cases/answer_cases.jsonl")] == CASE_IDS


REPORT_CASES = [
    *("float-gold-1", "float-gold-2", "list-or", "sum-product", "ordinal", "style-command"),
]


@pytest.mark.parametrize("case_id", REPORT_CASES)
def test_report_case(case_id: str) -> None:
    """Every rule and equivalence that the case names gives the verdict that it names."""
    case = next(row for row in rows("cases/report_cases.jsonl") if row["id"] == case_id)
    kind = KINDS[case["dataset"]]
    line = {"id": case_id, "completion": case["completion"], "gold": case["gold"]}
    for rules in case["rules"]:
        equivalence: Equivalence = (
            "by_value" if rules["equivalence"] == "by value" else rules["equivalence"]
        )
        answer = extract(case["completion"], rule=rules["extraction"], kind=kind)
        grade = grade_answer(answer, case["gold"], equivalence=equivalence, kind=kind)
        assert grade.correct is case["expected_correct"], rules
        out = io.StringIO()
        grade_lines(
            io.BytesIO(json.dumps(line).encode()),
            out,
            dataset=case["dataset"],
            extraction=rules["extraction"],
            equivalence=equivalence,
        )
        assert json.loads(out.getvalue())["correct"] is case["expected_correct"], rules


def test_no_report_case_on_answers_is_left_out() -> None:
    """Cases of other parts have no extraction rules."""
    cases = rows("cases/report_cases.jsonl")
    assert [case["id"] for case in cases if "rules" in case] == REPORT_CASES


@pytest.mark.parametrize(("rule", "equivalence"), list(product(RULES, EQUIVALENCES.names)))
def test_published_verdicts_of_model_solutions(
    rule: ExtractionRule, equivalence: Equivalence
) -> None:
    """All 5,276 verdicts of Cobbe et al. 2021, under every rule and equivalence."""
    questions = rows("data/gsm8k_openai_model_solutions.jsonl")
    wrong = []
    for question in questions:
        gold = question["ground_truth"].rsplit("A: ", 1)[1]
        for model in MODELS:
            solution = question[model]
            answer = extract(solution["solution"], rule=rule, kind="number")
            grade = grade_answer(answer, gold, equivalence=equivalence, kind="number")
            if grade.correct != solution["is_correct"]:
                wrong.append((answer, gold))
    assert (len(questions) * len(MODELS), wrong) == (5276, [])


@pytest.mark.parametrize("rule", RULES)
def test_gsm8k_golds_are_found_in_their_solutions(rule: ExtractionRule) -> None:
    """All 1,319, with 14 thousands commas and two minus signs."""
    for row in rows("data/gsm8k_test.jsonl"):
        gold = row["answer"].rsplit("#### ", 1)[1]
        answer = extract(row["answer"], rule=rule, kind="number")
        assert answer == gold.replace(",", "")
        assert grade_answer(answer, gold, equivalence="normalised", kind="number").correct
        assert grade_answer(answer, gold, equivalence="by_value", kind="number").correct


@pytest.mark.parametrize("rule", ["registered", "robust"])
def test_math_golds_are_found_in_their_solutions(rule: ExtractionRule) -> None:
    """All 500, as the last box."""
    wrong = [
        (answer, row["answer"])
        for row in rows("data/math500_test.jsonl")
        if (answer := extract(row["solution"], rule=rule, kind="math")) != row["answer"]
    ]
    assert wrong == []


@pytest.mark.parametrize("equivalence", EQUIVALENCES.names)
def test_math_golds_equal_themselves_spelled_otherwise(equivalence: Equivalence) -> None:
    """In dollars, and with a space at each end; both directions."""
    for row in rows("data/math500_test.jsonl"):
        gold = row["answer"]
        for other in (f"${gold}$", f" {gold} "):
            for pair in ((gold, other), (other, gold)):
                assert grade_answer(*pair, equivalence=equivalence, kind="math").correct, pair


@pytest.mark.parametrize(
    ("equivalence", "expected"),
    [("normalised", NORMALISED_PAIRS), ("by_value", BY_VALUE_PAIRS)],
)
def test_distinct_golds_called_equal(
    equivalence: Equivalence, expected: set[tuple[str, str]]
) -> None:
    """No other pair of the golds merges."""
    golds = sorted({row["answer"] for row in rows("data/math500_test.jsonl")})
    called_equal = {
        pair
        for pair in combinations(golds, 2)
        if grade_answer(*pair, equivalence=equivalence, kind="math").correct
    }
    assert called_equal == expected


def test_golds_that_are_compared_as_strings() -> None:
    """Every MATH-500 gold is within the limits and readable, against every other."""
    golds = sorted({row["answer"] for row in rows("data/math500_test.jsonl")})
    as_strings = [
        pair
        for pair in combinations(golds, 2)
        if grade_answer(*pair, equivalence="by_value", kind="math").compared_as_strings
    ]
    assert as_strings == []


def test_clustering_all_golds_agrees_with_grading_them() -> None:
    """Components add nothing to the pairs, but for `36`: beside two marks it stays by itself."""
    golds = sorted({row["answer"] for row in rows("data/math500_test.jsonl")})
    kind: AnswerKind = "math"
    labels = cluster(golds, equivalence="by_value", kind=kind).labels
    joined = {
        (a, b)
        for (a, first), (b, second) in combinations(zip(golds, labels, strict=True), 2)
        if first == second
    }
    assert joined == BY_VALUE_PAIRS - {("36", r"36^\circ"), ("36", r"\$36")}
