"""Answers compared by value: cores (expressions by `symbolic`), and notes.

Notes may be missing but must not contradict. The comparison is symmetric by construction: the pair
is ordered before it is compared. Classes are the connected components of the comparison, so that
they are transitive. One thing comes before: a note that is missing (`40` beside `40_9`) is filled
in by the other answers only where they agree. Where they contradict each other (`40_9`, `40_7`),
answers of that component are joined only if their notes are equal too, or `40` would make two
wrong bases one.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import combinations
from typing import Final

from cot_entropy.answers import latex, symbolic
from cot_entropy.answers.cores import (
    Number,
    Reading,
    Relation,
    Structure,
    Unread,
    Words,
    as_latex,
)
from cot_entropy.answers.grading import Comparison
from cot_entropy.answers.kinds import AnswerKind
from cot_entropy.answers.limits import MAX_LENGTH
from cot_entropy.answers.normalise import normal_form, normalise
from cot_entropy.answers.reading import read

CACHE: Final = 1 << 15


_SAME: Final = Comparison(same=True)


def compare(first: str, second: str, *, kind: AnswerKind) -> Comparison:
    """Compare two answers; their order does not matter.

    Answers of kind `number` are compared by value where both are rational numbers, else as
    normalised strings: the computer algebra is for `math` only.
    """
    if first == second:
        return _SAME
    if max(len(first), len(second)) > MAX_LENGTH:
        return _as_strings(first, second)
    return _compare(*sorted((first, second)), kind)


def classes(distinct: Sequence[str], *, kind: AnswerKind) -> tuple[dict[str, str], int]:
    """A name of each answer's class, and the pairs that were compared as normalised strings."""
    if len(distinct) == 1:
        return {distinct[0]: distinct[0]}, 0
    verdicts = {(a, b): compare(a, b, kind=kind) for a, b in combinations(distinct, 2)}
    joined = _connected(distinct, (pair for pair, verdict in verdicts.items() if verdict.same))
    contradicted = {
        joined[a]
        for (a, b), verdict in verdicts.items()
        if verdict.differ_in_notes and joined[a] == joined[b]
    }
    if contradicted:
        joined = _connected(
            distinct,
            (
                pair
                for pair, verdict in verdicts.items()
                if verdict.same and (joined[pair[0]] not in contradicted or _same_notes(*pair))
            ),
        )
    return joined, sum(verdict.as_strings for verdict in verdicts.values())


def _same_notes(first: str, second: str) -> bool:
    return read(first).notes == read(second).notes


def _as_strings(first: str, second: str) -> Comparison:
    """Compare normal forms, which drop units: a unit that contradicts another still counts."""
    units = [latex.units(text) for text in (first, second)]
    contradict = all(units) and units[0] != units[1]
    return Comparison(
        same=not contradict and normalise(first) == normalise(second), as_strings=True
    )


@lru_cache(maxsize=CACHE)
def _compare(first: str, second: str, kind: AnswerKind) -> Comparison:
    a, b = read(first), read(second)
    if kind == "number" and not (isinstance(a.core, Number) and isinstance(b.core, Number)):
        return Comparison(same=normal_form(first, kind=kind) == normal_form(second, kind=kind))
    verdict = _same_core(a, b)
    if verdict is None:
        return _as_strings(first, second)
    if verdict and not a.notes.contradict(b.notes):
        return _SAME
    if _same_equation(a, b):
        return _SAME
    return Comparison(same=False, differ_in_notes=verdict)


def _same_equation(first: Reading, second: Reading) -> bool | None:
    a, b = first.equation(), second.equation()
    return _same_relation(a, b) if a and b else False


def _same(first: Reading, second: Reading) -> bool | None:
    if first.notes.contradict(second.notes):
        return False
    return _same_core(first, second)


def _same_core(first: Reading, second: Reading) -> bool | None:  # noqa: PLR0911
    a, b = first.core, second.core
    if a == b:
        return True
    if isinstance(a, Unread) or isinstance(b, Unread):
        return None
    if isinstance(a, Number) and isinstance(b, Number):
        return False
    if isinstance(a, Structure) and isinstance(b, Structure):
        return _same_structure(a, b)
    if isinstance(a, Relation) and isinstance(b, Relation):
        return _same_relation(a, b)
    if isinstance(a, Words) or isinstance(b, Words):
        return _same_words(first, second)
    left, right = as_latex(a), as_latex(b)
    return False if left is None or right is None else symbolic.equal(left, right)


def _same_words(first: Reading, second: Reading) -> bool | None:
    a, b = as_latex(first.core), as_latex(second.core)
    if a is not None and b is not None:
        return symbolic.equal(a, b)
    texts = [
        core.text if isinstance(core, Words) else as_latex(core)
        for core in (first.core, second.core)
    ]
    return (
        texts[0] is not None
        and texts[1] is not None
        and (texts[0].casefold() == texts[1].casefold())
    )


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
        verdicts = [_same(part, other) for other in remaining]
        if True in verdicts:
            del remaining[verdicts.index(True)]
        elif None in verdicts:
            undecided = True
        else:
            return False
    return None if undecided else True


def _same_relation(first: Relation, second: Relation) -> bool | None:
    if first.operator != second.operator:
        return False
    return symbolic.proportional(
        f"({first.left})-({first.right})",
        f"({second.left})-({second.right})",
        factor="positive" if first.operator in {"<", "<="} else "any",
    )


def _connected(items: Sequence[str], edges: Iterable[tuple[str, str]]) -> dict[str, str]:
    parent = {item: item for item in items}

    def root(item: str) -> str:
        while parent[item] != item:
            item = parent[item]
        return item

    for a, b in edges:
        parent[max(root(a), root(b))] = min(root(a), root(b))
    return {item: root(item) for item in items}
