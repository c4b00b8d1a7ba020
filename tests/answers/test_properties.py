"""Properties that hold for every text and every list of answers (hypothesis)."""

from __future__ import annotations

from collections import Counter
from math import log
from typing import get_args

import pytest
import sympy
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.answers.answer_texts import TOKENS, hostile_text, seeded

from cot_entropy.answers import (
    AnswerKind,
    Equivalence,
    ExtractionRule,
    cluster,
    extract,
    grade_answer,
)
from cot_entropy.protocol.names import EQUIVALENCES, EXTRACTIONS

KINDS: tuple[AnswerKind, ...] = get_args(AnswerKind)
RULES = EXTRACTIONS.names

FEW = ["40", "40_9", "40_7", "x=5", "y=5", "5", r"5\text{ cm}", "0.5", r"\frac12", "1,2", "(1,2)"]
ALIKE = [
    *FEW,
    "2,1",
    r"\pm 1",
    "1,-1",
    "y=2x",
    "2x",
    "2x-y=0",
    "9^{9^{9^9}}",
    r"\text{A}",
    "A",
    "a",
]
texts = st.one_of(
    st.text(alphabet=st.characters(codec=None)),
    st.lists(st.sampled_from(TOKENS), max_size=12).map("".join),
)
short = st.lists(st.sampled_from(TOKENS), max_size=6).map("".join)
answers = st.one_of(st.none(), st.sampled_from(ALIKE), short)
samples = st.lists(answers, min_size=1, max_size=6)
equivalences = st.sampled_from(EQUIVALENCES.names)
kinds = st.sampled_from(KINDS)


def entropy(labels: tuple[int, ...]) -> float:
    counts = sorted(Counter(labels).values())
    return -sum(count / len(labels) * log(count / len(labels)) for count in counts) + 0.0


@given(text=texts, rule=st.sampled_from(RULES), kind=kinds)
@settings(max_examples=500, deadline=None)
def test_extraction_never_raises(text: str, rule: ExtractionRule, kind: AnswerKind) -> None:
    """Any Unicode text, lone surrogates included; an answer is never empty."""
    answer = extract(text, rule=rule, kind=kind)
    assert answer is None or answer.strip()


@given(answer=short, equivalence=equivalences, kind=kinds)
@settings(max_examples=200, deadline=None)
def test_reflexive(answer: str, equivalence: Equivalence, kind: AnswerKind) -> None:
    """Every answer equals itself."""
    assert grade_answer(answer, answer, equivalence=equivalence, kind=kind).correct


@given(
    first=st.one_of(st.sampled_from(ALIKE), short),
    second=st.one_of(st.sampled_from(ALIKE), short),
    equivalence=equivalences,
    kind=kinds,
)
@settings(max_examples=300, deadline=None)
def test_symmetric(first: str, second: str, equivalence: Equivalence, kind: AnswerKind) -> None:
    """It does not matter which of two is the gold answer; two samples are clustered alike."""
    grade = grade_answer(first, second, equivalence=equivalence, kind=kind)
    assert grade == grade_answer(second, first, equivalence=equivalence, kind=kind)
    labels = cluster([first, second], equivalence=equivalence, kind=kind).labels
    assert (labels[0] == labels[1]) == grade.correct


@given(sample=samples, equivalence=equivalences, kind=kinds)
@settings(max_examples=300, deadline=None)
def test_equal_answers_share_a_class(
    sample: list[str | None], equivalence: Equivalence, kind: AnswerKind
) -> None:
    """Labels are a partition (so transitive); equal spellings are never parted, None is -1."""
    labels = cluster(sample, equivalence=equivalence, kind=kind).labels
    for answer, label in zip(sample, labels, strict=True):
        assert (label == -1) == (answer is None)
        assert labels[sample.index(answer)] == label
    assert sorted(set(labels) - {-1}) == list(range(len(set(labels) - {-1})))


@given(sample=st.lists(st.sampled_from(ALIKE), min_size=3, max_size=6), seed=st.integers(0, 999))
@settings(max_examples=200, deadline=None)
def test_order_free(sample: list[str], seed: int) -> None:
    """Permuting the samples permutes the labels and changes neither classes nor entropy."""
    shuffled = seeded(seed).sample(sample, len(sample))
    found = cluster(sample, equivalence="by_value", kind="math")
    again = cluster(shuffled, equivalence="by_value", kind="math")
    named = {a: found.representatives[n] for a, n in zip(sample, found.labels, strict=True)}
    renamed = {a: again.representatives[n] for a, n in zip(shuffled, again.labels, strict=True)}
    assert named == renamed
    assert entropy(found.labels) == entropy(again.labels)
    assert found.pairs_as_strings == again.pairs_as_strings


@given(sample=samples, equivalence=equivalences, kind=kinds)
@settings(max_examples=200, deadline=None)
def test_entropy_is_bounded(
    sample: list[str | None], equivalence: Equivalence, kind: AnswerKind
) -> None:
    """0 <= H <= ln m, in nats."""
    labels = cluster(sample, equivalence=equivalence, kind=kind).labels
    assert 0 <= entropy(labels) <= log(len(sample)) + 1e-12


@given(numerator=st.integers(-(10**12), 10**12), denominator=st.integers(1, 10**6))
@settings(max_examples=200, deadline=None)
def test_a_fraction_equals_its_multiples_only(numerator: int, denominator: int) -> None:
    """Rational arithmetic is exact, however close two fractions are."""
    fraction = rf"\frac{{{numerator}}}{{{denominator}}}"
    multiple = rf"\frac{{{7 * numerator}}}{{{7 * denominator}}}"
    neighbour = rf"\frac{{{7 * numerator + 1}}}{{{7 * denominator}}}"
    grades = [
        grade_answer(other, fraction, equivalence="by_value", kind="math").correct
        for other in (multiple, neighbour)
    ]
    assert grades == [True, False]


coefficients = st.lists(st.integers(-9, 9), min_size=1, max_size=2)


@given(first=coefficients, second=coefficients, bottom=st.integers(1, 9))
@settings(max_examples=25, deadline=None)
def test_a_product_equals_its_expansion(first: list[int], second: list[int], bottom: int) -> None:
    """Factored and expanded, as sympy prints both; and the expansion plus one does not."""
    x, y = sympy.symbols("x y")
    factored = sympy.Poly(first, x).as_expr() * (sympy.Poly(second, y).as_expr() + x) / bottom
    expanded = sympy.expand(factored)
    product, total, other = map(sympy.latex, (factored, expanded, expanded + 1))
    assert grade_answer(product, total, equivalence="by_value", kind="math").correct
    assert not grade_answer(product, other, equivalence="by_value", kind="math").correct


@given(number=st.integers(-(10**15), 10**15))
@settings(max_examples=200, deadline=None)
def test_a_number_is_found_in_any_spelling(number: int) -> None:
    """Plain, with commas, with LaTeX commas, with currency: the same digits under every rule."""
    commas = f"{number:,}"
    for spelling in (str(number), commas, commas.replace(",", "{,}"), commas.replace(",", r"\,")):
        for rule in RULES:
            text = f"So it is {spelling}."
            assert extract(text, rule=rule, kind="number") == str(number)


@pytest.mark.full
def test_a_million_hostile_texts() -> None:
    """Extraction never raises and both equivalences stay symmetric; seeded, so repeatable."""
    random = seeded(2026)
    for number in range(1_000_000):
        text = hostile_text(random, tokens=24)
        rule, kind = RULES[number % len(RULES)], KINDS[number % 2]
        answer = extract(text, rule=rule, kind=kind)
        assert answer is None or answer.strip(), text
        if number % 8 == 0:
            first, second = hostile_text(random, tokens=6), hostile_text(random, tokens=6)
            for equivalence in EQUIVALENCES.names:
                grade = grade_answer(first, second, equivalence=equivalence, kind="math")
                assert grade == grade_answer(second, first, equivalence=equivalence, kind="math")
                assert grade_answer(first, first, equivalence=equivalence, kind="math").correct
