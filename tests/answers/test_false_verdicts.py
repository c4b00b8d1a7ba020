"""False equality merges entropy classes without a trace: it is looked for, and its rate stated.

Every gold is set against itself changed in one place. Where a rule calls the two equal, an
independent reading must say so too: sympy's own LaTeX grammar and random points, or, for the
registered rule, the normalisation as published. Then every gold against its respellings.
"""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from pathlib import Path

import pytest
import sympy
from sympy.parsing.latex import parse_latex
from tests.answers.answer_data import rows
from tests.answers.answer_texts import seeded
from tests.answers.gold_mutations import FORMULAS, RESPELLINGS, mutations
from tests.answers.published_normalisation import published

from cot_entropy.answers import grade_answer
from cot_entropy.answers.kinds import Equivalence

PAGE = Path(__file__).parents[2] / "docs/explanation/answers.md"
EQUIVALENCES: list[Equivalence] = ["normalised", "by_value"]

NOT_FOLDED = {
    *("display style", "round delimiters", "square delimiters", "full stop", "braces", "bold"),
    "bold mathematics",
}
"""Respellings that the published normalisation keeps, whatever the gold."""


def math500() -> list[str]:
    return sorted({row["answer"] for row in rows("data/math500_test.jsonl")})


def pairs(golds: list[str]) -> list[tuple[str, str]]:
    return [(gold, changed) for gold in golds for _, changed in mutations(gold)]


def same(first: str, second: str, equivalence: Equivalence) -> bool:
    return grade_answer(second, first, equivalence=equivalence, kind="math").correct


def agree(first: str, second: str) -> bool:
    """Whether sympy reads both and finds the same value at random points."""
    try:
        one, other = (parse_latex(text, backend="lark") for text in (first, second))
    except Exception:  # whatever its grammar does not read
        return False
    if not isinstance(one, sympy.Expr) or not isinstance(other, sympy.Expr):
        return False
    random = seeded(7)
    for _ in range(5):
        point = {
            symbol: sympy.Rational(Fraction(random.randint(-999, 999), 97))
            for symbol in one.free_symbols | other.free_symbols
        }
        apart = sympy.N((one - other).doit().subs(point), 50)
        if apart is sympy.nan or abs(apart) > 1e-40:
            return False
    return True


def falsely_equal(found: list[tuple[str, str]], equivalence: Equivalence) -> list[tuple[str, str]]:
    return [pair for pair in found if same(*pair, equivalence) and not agree(*pair)]


def test_the_independent_reading_tells_equal_from_unequal() -> None:
    """The check can fail, in both directions."""
    assert agree(r"\frac{1}{2}", "0.5")
    assert agree("(x+1)^2", "x^2+2x+1")
    assert not agree("x^2+1", "x^2+2")
    assert not agree(r"\sum_{k=1}^{n} k", r"\prod_{k=1}^{n} k")


def test_no_changed_formula_is_the_same_by_value() -> None:
    """Sums, limits, unions, lists, relations, units: answers that MATH-500 has few of."""
    assert falsely_equal(pairs(FORMULAS), "by_value") == []


def test_changed_formulas_are_the_same_only_where_published() -> None:
    """The registered rule drops units and left-hand sides, as the papers do; nothing else."""
    found = falsely_equal(pairs(FORMULAS), "normalised")
    assert [pair for pair in found if published(pair[0]) != published(pair[1])] == []


def test_false_equality_over_the_published_golds() -> None:
    """None by value; under the registered rule those that the papers make. The page states both."""
    found = pairs([*math500(), *FORMULAS])
    by_value = falsely_equal(found, "by_value")
    registered = falsely_equal(found, "normalised")
    made = [pair for pair in registered if published(pair[0]) == published(pair[1])]
    as_published = sum(published(one) == published(other) for one, other in found)
    assert (by_value, [pair for pair in registered if pair not in made]) == ([], [])
    page = " ".join(PAGE.read_text("utf-8").split())
    assert f"Of {len(found):,} such pairs" in page
    assert f"`normalised`: {len(made)} are equal" in page
    assert f"as published, without our repairs, {as_published} are" in page


def test_no_gold_equals_a_respelling_of_another() -> None:
    """Beyond the pairs of golds that are equal themselves."""
    golds = math500()
    for equivalence in EQUIVALENCES:
        for name, respell in RESPELLINGS.items():
            if equivalence == "normalised" and name in {*NOT_FOLDED, "box"}:
                continue
            random = seeded(len(name))
            for gold in golds:
                for other in random.sample(golds, 8):
                    if same(gold, other, equivalence) != same(gold, respell(other), equivalence):
                        pytest.fail(f"{equivalence}, {name}: {gold!r} and {other!r}")


@pytest.mark.parametrize("equivalence", EQUIVALENCES)
@pytest.mark.parametrize("name", RESPELLINGS)
def test_a_respelled_formula_is_the_same(name: str, equivalence: Equivalence) -> None:
    """But for what the published normalisation keeps."""
    if equivalence == "normalised" and name in {*NOT_FOLDED, "box"}:
        assert not same("12", RESPELLINGS[name]("12"), equivalence) or name == "box"
        return
    assert [f for f in FORMULAS if not same(f, RESPELLINGS[name](f), equivalence)] == []


def test_false_inequality_over_the_published_golds() -> None:
    """None by value; under the registered rule what the papers do not fold. The page states both."""
    golds = [*math500(), *FORMULAS]
    apart: dict[Equivalence, Counter[str]] = {
        equivalence: Counter() for equivalence in EQUIVALENCES
    }
    for equivalence in EQUIVALENCES:
        for name, respell in RESPELLINGS.items():
            apart[equivalence][name] = sum(
                not same(gold, respell(gold), equivalence) for gold in golds
            )
    assert sum(apart["by_value"].values()) == 0
    assert {name for name, n in apart["normalised"].items() if n} == NOT_FOLDED | {"box"}
    page = " ".join(PAGE.read_text("utf-8").split())
    total = len(golds) * len(RESPELLINGS)
    assert f"of {total:,} respellings" in page
    assert f"`normalised`: {sum(apart['normalised'].values()):,} are not" in page
