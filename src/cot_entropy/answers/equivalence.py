"""Whether two answers are the same, and the classes of the answers of one prefix.

`normalised` compares normal forms as strings. `math_verify` compares cores (see `reading`) and
notes; expressions go to `symbolic`, and what its limits stop is compared as normalised strings
and counted. Both relations are symmetric by construction; classes are connected components.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations
from typing import Final

from cot_entropy.answers import symbolic
from cot_entropy.answers.kinds import AnswerKind, Equivalence
from cot_entropy.answers.normalise import normalise
from cot_entropy.answers.reading import (
    Core,
    Expression,
    Notes,
    Number,
    Reading,
    Relation,
    Structure,
    read,
)

CACHE: Final = 1 << 15


@dataclass(frozen=True)
class Comparison:
    """A verdict, and whether the computer algebra or its limits gave it."""

    same: bool
    fell_back: bool = False


@dataclass(frozen=True)
class Grade:
    """Whether an answer is right; `compared_as_strings` where the registered limits decided so."""

    correct: bool
    compared_as_strings: bool = False


@dataclass(frozen=True)
class Clusters:
    """The equivalence classes of m answers.

    `labels`: one per answer, -1 for none, else 0, 1, 2.. in first-seen order.
    `representatives`: one per class, the answer of the class that sorts first by (length, text).
    `pairs_as_strings`: pairs of distinct answers compared as normalised strings because of the
    registered limits.
    """

    labels: tuple[int, ...]
    representatives: tuple[str, ...]
    pairs_as_strings: int = 0


def grade_answer(
    answer: str | None, gold: str, *, equivalence: Equivalence, kind: AnswerKind
) -> Grade:
    """Grade one answer; no answer is wrong."""
    if answer is None:
        return Grade(correct=False)
    if equivalence == "normalised":
        return Grade(correct=normalise(answer) == normalise(gold))
    found = compare(answer, gold)
    return Grade(correct=found.same, compared_as_strings=found.fell_back)


def cluster(
    answers: Sequence[str | None], *, equivalence: Equivalence, kind: AnswerKind
) -> Clusters:
    """Classes of the answers; independent of their order up to the numbering of the labels."""
    distinct = sorted({answer for answer in answers if answer is not None})
    if equivalence == "normalised":
        keys: dict[str, object] = {answer: normalise(answer) for answer in distinct}
        fallbacks = 0
    else:
        keys, fallbacks = _classes(distinct)
    numbers: dict[object, int] = {}
    labels = tuple(
        -1 if answer is None else numbers.setdefault(keys[answer], len(numbers))
        for answer in answers
    )
    members: dict[int, list[str]] = defaultdict(list)
    for answer in distinct:
        members[numbers[keys[answer]]].append(answer)
    representatives = tuple(
        min(members[label], key=lambda text: (len(text), text)) for label in range(len(numbers))
    )
    return Clusters(labels, representatives, fallbacks)


def _classes(distinct: Sequence[str]) -> tuple[dict[str, object], int]:
    parent = {answer: answer for answer in distinct}

    def root(answer: str) -> str:
        while parent[answer] != answer:
            answer = parent[answer]
        return answer

    fallbacks = 0
    for first, second in combinations(distinct, 2):
        found = same_core(first, second)
        fallbacks += found.fell_back
        if found.same:
            parent[root(second)] = root(first)
    components: dict[str, list[str]] = defaultdict(list)
    for answer in distinct:
        components[root(answer)].append(answer)
    keys: dict[str, object] = {}
    for name, component in components.items():
        notes = {answer: read(answer).notes for answer in component}
        clash = any(a.contradicts(b) for a, b in combinations(set(notes.values()), 2))
        for answer in component:
            keys[answer] = (name, notes[answer] if clash else Notes())
    return keys, fallbacks


def compare(first: str, second: str) -> Comparison:
    """Whether two answers are the same under `math_verify`; the order does not matter."""
    found = same_core(first, second)
    if found.same and read(first).notes.contradicts(read(second).notes):
        return Comparison(same=False)
    return found


def same_core(first: str, second: str) -> Comparison:
    """Whether two answers have equal cores, whatever their notes say."""
    if first == second:
        return Comparison(same=True)
    return _same_core(*sorted((first, second)))


@lru_cache(maxsize=CACHE)
def _same_core(first: str, second: str) -> Comparison:
    if normalise(first) == normalise(second) and _same_shape(read(first), read(second)):
        return Comparison(same=True)
    verdict = _same(read(first).core, read(second).core)
    if verdict is None:
        return Comparison(same=normalise(first) == normalise(second), fell_back=True)
    return Comparison(same=verdict)


def _same_shape(first: Reading, second: Reading) -> bool:
    return isinstance(first.core, Expression) and isinstance(second.core, Expression)


def _same(first: Core, second: Core) -> bool | None:
    if first == second:
        return True
    if isinstance(first, Structure) and isinstance(second, Structure):
        return _same_structure(first, second)
    if isinstance(first, Relation) and isinstance(second, Relation):
        return _same_relation(first, second)
    if isinstance(first, Expression | Number) and isinstance(second, Expression | Number):
        if isinstance(first, Number) and isinstance(second, Number):
            return False
        return symbolic.equal(_latex(first), _latex(second))
    return False


def _latex(core: Expression | Number) -> str:
    if isinstance(core, Expression):
        return core.latex
    value = core.value
    return rf"\frac{{{value.numerator}}}{{{value.denominator}}}"


def _same_structure(first: Structure, second: Structure) -> bool | None:
    if first.shape != second.shape or len(first.parts) != len(second.parts):
        return False
    if first.ordered:
        verdicts = [_same(a, b) for a, b in zip(first.parts, second.parts, strict=True)]
        if False in verdicts:
            return False
        return None if None in verdicts else True
    undecided = False
    remaining = list(second.parts)
    for part in first.parts:
        for index, other in enumerate(remaining):
            verdict = _same(part, other)
            if verdict:
                del remaining[index]
                break
            undecided |= verdict is None
        else:
            return None if undecided else False
    return True


def _same_relation(first: Relation, second: Relation) -> bool | None:
    if first.operator != second.operator:
        return False
    return symbolic.proportional(
        f"({first.left})-({first.right})",
        f"({second.left})-({second.right})",
        sign=first.operator in {"<", "<="},
    )
