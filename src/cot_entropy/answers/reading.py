r"""How the equivalence `by_value` reads an answer, from its spelling to `cores`."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from functools import lru_cache
from typing import Final, Literal, TypeAlias

from cot_entropy.answers import latex
from cot_entropy.answers.cores import (
    Core,
    Expression,
    Notes,
    Number,
    Reading,
    Relation,
    Structure,
    Unread,
    Words,
)
from cot_entropy.answers.folding import fold_symbols, unquoted
from cot_entropy.answers.limits import is_short
from cot_entropy.answers.rationals import rational
from cot_entropy.answers.sides import NAME, RELATION, states_more
from cot_entropy.answers.styles import ordinal

CACHE: Final = 1 << 14


@lru_cache(maxsize=CACHE)
def read(answer: str) -> Reading:
    """Read one answer; what has no structure known here is an `Expression`."""
    if not is_short(answer):
        return Reading(Unread(answer))
    text = latex.tidy(fold_symbols(unquoted(answer.strip())))
    return _read(text) if is_short(text) else Reading(Unread(answer))


_BASE: Final = re.compile(
    r"\(?(?P<digits>[0-9]+)\)?_\s*(?:\{\s*(?:\\text\s*\{\s*)?(?P<a>[0-9]+|[a-z]+)[}\s]*\}|(?P<b>[0-9]+))"
)
_BASES: Final = {"two": "2", "three": "3", "four": "4", "five": "5", "six": "6"} | {
    "seven": "7",
    "eight": "8",
    "nine": "9",
    "ten": "10",
}
_NAME: Final = re.compile(
    rf"(?P<name>{NAME}|\\angle\s*[A-Z]+|\([a-z](?:\s*,\s*[a-z])+\))"
    r"\s*(?:=|\\in(?![A-Za-z]))\s*(?P<rest>.+)"
)
_JOINT: Final = re.compile(
    r"[,;]?\s*\\text\s*\{\s*,?\s*(?P<text>and|or)\s*,?\s*\}|,?\s+(?P<word>and|or)(?=[\s\\$(])"
    r"|(?P<logic>\\(?:land|lor|wedge|vee))(?![A-Za-z])|(?P<mark>[,;\u3001])",
    re.IGNORECASE,
)
_JOINTS: Final = {
    **{r"\land": "and", r"\wedge": "and", r"\lor": "or", r"\vee": "or"},
    **{";": ",", "\u3001": ","},
}
_LOGIC: Final = re.compile(r"\\(?:land|lor|wedge|vee)")
_UNION: Final = re.compile(r"\\cup(?![A-Za-z])")
_COMMA: Final = re.compile(",")
_RELATION: Final = re.compile(r"<=|>=|!=|=|<|>|\\(?:le|ge|lt|gt|ne)(?![A-Za-z])")
_OPERATORS: Final = {r"\le": "<=", r"\ge": ">=", r"\lt": "<", r"\gt": ">", r"\ne": "!="}
_Kept: TypeAlias = Literal["=", "<", "<=", "!="]
_KEPT: Final[dict[str, _Kept]] = {"=": "=", "<": "<", "<=": "<=", "!=": "!="}
_VARIABLE: Final = re.compile(r"[A-Za-z](?:_\{?\w\}?)?|\\(?!infty)[a-z]+")
_MATRIX: Final = re.compile(
    r"\\begin\{(?:[pbB]?matrix|array)\}(?:\{[lcr|]*\})?(?P<body>.*)\\end\{(?:[pbB]?matrix|array)\}"
)
_SET_BUILDER: Final = re.compile(
    r"\s*(?P<variable>[a-z])\s*(?:\\in\s*\\mathbb\s*\{?R\}?\s*)?(?:\\mid(?![a-z])|[|:])"
)
_PLUS_MINUS: Final = re.compile(r"\\(pm|mp)(?![A-Za-z])")
_REALS: Final = {r"\mathbb{R}", r"\mathbb R", r"\R", r"\text{all real numbers}"}
_INTERVALS: Final = {"()", "[)", "(]", "[]"}
_INFINITIES: Final = {r"\infty", r"+\infty", r"-\infty"}
_EMPTY: Final = {r"\emptyset", r"\varnothing", r"\{\}"}


def _read(text: str) -> Reading:
    text = latex.strip_group(text)
    value = rational(text)
    if value is not None:
        return Reading(Number(value))
    given = _NAME.fullmatch(text)
    if given and len(latex.split_joined(given["rest"], _RELATION)[1]) == 0:
        name = re.sub(r"[\s{}]", "", given["name"])
        inner = _read(given["rest"])
        return inner if inner.notes.name else replace(inner, notes=replace(inner.notes, name=name))
    if (amount := ordinal(text)) is not None:
        counted = _read(amount)
        return replace(counted, notes=replace(counted.notes, unit="ordinal"))
    text, unit = latex.split_unit(text)
    if numeral := _BASE.fullmatch(text):
        base = numeral["a"] or numeral["b"]
        return Reading(
            Number(Fraction(int(numeral["digits"]))), Notes(unit=unit, base=_BASES.get(base, base))
        )
    value = rational(text)
    if value is not None:
        return Reading(Number(value), Notes(unit=unit))
    reading = _structured(text) or _relation(text) or Reading(_plain(text))
    return reading if unit is None else replace(reading, notes=replace(reading.notes, unit=unit))


def _structured(text: str) -> Reading | None:  # noqa: PLR0911
    parts, joints = _joined(text)
    if len(parts) > 1:
        return _list(parts, joints)
    pieces = latex.split_top(text, _UNION)
    if len(pieces) > 1:
        return Reading(Structure("union", tuple(map(_read, pieces)), ordered=False))
    if matrix := _MATRIX.fullmatch(text):
        rows = [row.split("&") for row in matrix["body"].strip().rstrip("\\").split("\\\\")]
        cells = tuple(_read(cell.strip()) for row in rows for cell in row)
        return Reading(Structure(f"{len(rows)} rows", cells, ordered=True))
    if text in _REALS:
        return _interval("(", r"-\infty", r"\infty", ")")
    if text in _EMPTY:
        return _list([])
    if (bracketed := latex.brackets(text)) is not None:
        opening, inside, closing = bracketed
        if opening == "{" and (condition := _SET_BUILDER.match(inside)):
            described = _read(inside[condition.end() :])
            if described.notes.name in {None, condition["variable"]}:
                return described
        parts = latex.split_top(inside, _COMMA)
        if opening == "{":
            return _list(parts)
        if len(parts) > 1:
            return Reading(Structure(opening + closing, tuple(map(_read, parts)), ordered=True))
        if opening + closing == "()" and not latex.is_letter(inside):
            return _read(inside.strip())
    signs = _PLUS_MINUS.findall(text)
    if len(signs) == 1 or set(signs) == {"pm", "mp"}:
        upper = text.replace(r"\pm", "+").replace(r"\mp", "-")
        lower = text.replace(r"\pm", "-").replace(r"\mp", "+")
        return _list([upper, lower])
    return None


def _joined(text: str) -> tuple[list[str], list[str]]:
    r"""The parts of a list and what joins each to the next: `,`, `and` or `or`.

    `\vee` and its kin join relations only; between other things they are operators.
    """
    parts, found = latex.split_joined(text, _JOINT)
    joints = [next(filter(None, match.groups())).lower() for match in found]
    if any(map(_LOGIC.match, joints)) and not all(map(RELATION.search, parts)):
        return [text], []
    return parts, [_JOINTS.get(joint, joint) for joint in joints]


def _list(parts: list[str], joints: Sequence[str] = ()) -> Reading:
    r"""Values in no order; between statements `or` is another answer than `and`.

    `x = 1 \text{ and } x = 2` lists two values of one name as `or` does; inequalities of one name
    are a union or an intersection; where both words stand, their order counts.
    """
    readings: list[Reading] = []
    for part in parts:
        reading = _read(part)
        if isinstance(reading.core, Structure) and reading.core.shape == "list":
            readings.extend(reading.core.parts)
        else:
            readings.append(reading)
    if len(readings) == 1:
        return readings[0]
    words = set(joints) - {","}
    if len(words) > 1:
        return Reading(Structure(" ".join(joints), tuple(readings), ordered=True))
    names = {reading.notes.name for reading in readings}
    word = words.pop() if words else ","
    if len(names) == 1 and None not in names and word != "," and all(map(_is_interval, readings)):
        return _combined([Reading(reading.core) for reading in readings], word, names.pop())
    statements = len(names) > 1 or any(map(_is_statement, readings))
    shape = "alternatives" if statements and word == "or" else "list"
    return Reading(Structure(shape, tuple(readings), ordered=False))


def _combined(intervals: list[Reading], word: str, name: str | None) -> Reading:
    """The union of intervals, or their intersection where that is one interval of two bounds."""
    notes = Notes(name=name)
    if word == "or":
        return Reading(Structure("union", tuple(intervals), ordered=False), notes)
    cores = [interval.core for interval in intervals if isinstance(interval.core, Structure)]
    above = [core for core in cores if core.parts[1].core == Words(r"\infty")]
    below = [core for core in cores if core.parts[0].core == Words(r"-\infty")]
    if len(cores) == 2 and len(above) == len(below) == 1 and above != below:
        ends = (above[0].parts[0], below[0].parts[1])
        shape = above[0].shape[0] + below[0].shape[1]
        return Reading(Structure(shape, ends, ordered=True), notes)
    return Reading(Structure("intersection", tuple(intervals), ordered=False), notes)


def _is_statement(reading: Reading) -> bool:
    return isinstance(reading.core, Words | Relation) or (
        reading.notes.name is not None and _is_interval(reading)
    )


def _is_interval(reading: Reading) -> bool:
    return (
        isinstance(reading.core, Structure)
        and reading.core.ordered
        and reading.core.shape in _INTERVALS
    )


def _plain(text: str) -> Core:
    if text in _INFINITIES:
        return Words(text.removeprefix("+"))
    words = latex.words(text)
    if words is None:
        return Expression(text.removeprefix("+").strip())
    return Words(words if len(words) == 1 else words.casefold())


def _relation(text: str) -> Reading | None:
    sides, found = latex.split_joined(text, _RELATION)
    operators = [_OPERATORS.get(match[0], match[0]) for match in found]
    if not operators or len(sides) != len(operators) + 1:
        return None
    if all(operator in {">", ">="} for operator in operators):
        sides.reverse()
        operators = [operator.replace(">", "<") for operator in reversed(operators)]
    if len(operators) == 2 and set(operators) <= {"<", "<="} and _VARIABLE.fullmatch(sides[1]):
        opening, closing = (
            ("(" if operators[0] == "<" else "["),
            (")" if operators[1] == "<" else "]"),
        )
        return _interval(opening, sides[0], sides[2], closing, name=sides[1])
    if len(operators) > 1:
        chain = set(operators) == {"="} and not any(map(states_more, sides[1:-1]))
        return _read(sides[-1]) if chain else None
    (left, right), operator = sides, operators[0]
    if operator in {"<", "<="} and _VARIABLE.fullmatch(left):
        return _interval("(", r"-\infty", right, ")" if operator == "<" else "]", name=left)
    if operator in {"<", "<="} and _VARIABLE.fullmatch(right):
        return _interval("(" if operator == "<" else "[", left, r"\infty", ")", name=right)
    kept = _KEPT.get(operator)
    return None if kept is None else Reading(Relation(kept, left, right))


def _interval(
    opening: str, low: str, high: str, closing: str, *, name: str | None = None
) -> Reading:
    ends = (_read(low), _read(high))
    return Reading(Structure(opening + closing, ends, ordered=True), Notes(name=name))
