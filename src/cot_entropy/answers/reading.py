r"""How the `math_verify` equivalence reads an answer, from its spelling to `cores`."""

from __future__ import annotations

import re
from dataclasses import replace
from fractions import Fraction
from functools import lru_cache
from typing import Final

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
from cot_entropy.answers.folding import fold_symbols
from cot_entropy.answers.limits import is_short
from cot_entropy.answers.rationals import rational

CACHE: Final = 1 << 14


@lru_cache(maxsize=CACHE)
def read(answer: str) -> Reading:
    """Read one answer; what has no structure known here is an `Expression`."""
    if not is_short(answer):
        return Reading(Unread(answer))
    text = latex.tidy(fold_symbols(answer))
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
    r"(?P<name>\\?[A-Za-z]+(?:_\{?\w+\}?)?(?:\s*\([A-Za-z0-9, ]+\))?|\\angle\s*[A-Z]+"
    r"|\([a-z](?:\s*,\s*[a-z])+\))\s*(?:=|\\in(?![A-Za-z]))\s*(?P<rest>.+)"
)
_LIST_SEPARATOR: Final = re.compile(
    r",?\s*\\text\s*\{\s*,?\s*(?:and|or)\s*\}|,?\s+(?:and|or)(?=[\s\\$(])|,|;"
)
_UNION: Final = re.compile(r"\\cup(?![A-Za-z])")
_COMMA: Final = re.compile(",")
_RELATION: Final = re.compile(r"<=|>=|!=|=|<|>|\\(?:le|ge|lt|gt|ne)(?![A-Za-z])")
_OPERATORS: Final = {r"\le": "<=", r"\ge": ">=", r"\lt": "<", r"\gt": ">", r"\ne": "!="}
_VARIABLE: Final = re.compile(r"[A-Za-z](?:_\{?\w\}?)?|\\(?!infty)[a-z]+")
_MATRIX: Final = re.compile(
    r"\\begin\{(?:[pbB]?matrix|array)\}(?:\{[lcr|]*\})?(?P<body>.*)\\end\{(?:[pbB]?matrix|array)\}"
)
_SET_BUILDER: Final = re.compile(
    r"\s*[a-z]\s*(?:\\in\s*\\mathbb\s*\{?R\}?\s*)?(?:\\mid(?![a-z])|[|:])"
)
_PLUS_MINUS: Final = re.compile(r"\\(pm|mp)(?![A-Za-z])")
_REALS: Final = {r"\mathbb{R}", r"\mathbb R", r"\R", r"\text{all real numbers}"}
_INFINITIES: Final = {r"\infty", r"+\infty", r"-\infty"}
_EMPTY: Final = {r"\emptyset", r"\varnothing", r"\{\}"}


def _read(text: str) -> Reading:
    text = latex.strip_group(text)
    value = rational(text)
    if value is not None:
        return Reading(Number(value))
    given = _NAME.fullmatch(text)
    if given and not _RELATION.search(given["rest"]):
        name = re.sub(r"[\s{}]", "", given["name"])
        inner = _read(given["rest"])
        return inner if inner.notes.name else replace(inner, notes=replace(inner.notes, name=name))
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
    parts = latex.split_top(text, _LIST_SEPARATOR)
    if len(parts) > 1:
        return _list(parts)
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
            return _read(inside[condition.end() :])
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


def _list(parts: list[str]) -> Reading:
    readings: list[Reading] = []
    for part in parts:
        reading = _read(part)
        if isinstance(reading.core, Structure) and reading.core.shape == "list":
            readings.extend(reading.core.parts)
        else:
            readings.append(reading)
    if len(readings) == 1:
        return readings[0]
    names = {reading.notes.name for reading in readings}
    if len(names) == 1 and None not in names and all(map(_is_interval, readings)):
        intervals = tuple(Reading(reading.core) for reading in readings)
        return Reading(Structure("union", intervals, ordered=False), Notes(name=names.pop()))
    return Reading(Structure("list", tuple(readings), ordered=False))


def _is_interval(reading: Reading) -> bool:
    return isinstance(reading.core, Structure) and reading.core.ordered


def _plain(text: str) -> Core:
    if text in _INFINITIES:
        return Words(text.removeprefix("+"))
    words = latex.words(text)
    if words is None:
        return Expression(text.removeprefix("+").strip())
    return Words(words if len(words) == 1 else words.casefold())


def _relation(text: str) -> Reading | None:  # noqa: PLR0911
    operators = [_OPERATORS.get(found, found) for found in _RELATION.findall(text)]
    sides = [side.strip() for side in _RELATION.split(text)]
    if not operators or not all(sides):
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
        return _read(sides[-1]) if set(operators) == {"="} else None
    (left, right), operator = sides, operators[0]
    if operator in {"<", "<="} and _VARIABLE.fullmatch(left):
        return _interval("(", r"-\infty", right, ")" if operator == "<" else "]", name=left)
    if operator in {"<", "<="} and _VARIABLE.fullmatch(right):
        return _interval("(" if operator == "<" else "[", left, r"\infty", ")", name=right)
    if operator in {"=", "<", "<=", "!="}:
        return Reading(Relation(operator, left, right))
    return None


def _interval(
    opening: str, low: str, high: str, closing: str, *, name: str | None = None
) -> Reading:
    ends = (_read(low), _read(high))
    return Reading(Structure(opening + closing, ends, ordered=True), Notes(name=name))
