r"""How the `math_verify` equivalence reads an answer: its core, and notes that may be missing.

A *note* is what writers leave out: a unit (`cm`, `^\circ`, `\%`, `\$`), the base of a numeral
(`40_9`), the name of what is given (`x = 5`). Two answers with equal cores are the same unless
their notes contradict each other. The core is a number, a text, an expression, a relation, or a
structure of these: a list or set (no order), a tuple or interval (order, brackets), a union, a
matrix.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from fractions import Fraction
from functools import lru_cache
from typing import Final, Literal

from cot_entropy.answers import latex
from cot_entropy.answers.folding import fold_symbols
from cot_entropy.answers.numbers import without_separators

CACHE: Final = 1 << 14


@dataclass(frozen=True)
class Number:
    """An exact rational; a decimal means the number it writes."""

    value: Fraction


@dataclass(frozen=True)
class Text:
    """Words, case-folded; single letters keep their case."""

    words: str


@dataclass(frozen=True)
class Expression:
    """LaTeX that is left to the computer algebra."""

    latex: str


@dataclass(frozen=True)
class Relation:
    """`left op right` that names no single interval: an equation, an inequality."""

    operator: Literal["=", "<", "<=", "!="]
    left: str
    right: str


@dataclass(frozen=True)
class Structure:
    """Parts in brackets; `ordered` parts compare by position, others as a multiset."""

    shape: str
    ordered: bool
    parts: tuple[Core, ...]


Core = Number | Text | Expression | Relation | Structure


@dataclass(frozen=True)
class Notes:
    """What a writer may leave out; None where it is left out."""

    unit: str | None = None
    base: str | None = None
    name: str | None = None

    def contradicts(self, other: Notes) -> bool:
        """Whether both say something different about the same thing."""
        return any(
            ours is not None and theirs is not None and ours != theirs
            for ours, theirs in (
                (self.unit, other.unit),
                (self.base, other.base),
                (self.name, other.name),
            )
        )


@dataclass(frozen=True)
class Reading:
    """An answer's core and its notes."""

    core: Core
    notes: Notes = field(default_factory=Notes)


_BASE: Final = re.compile(
    r"\(?(?P<digits>[0-9][0-9A-F]*)\)?_\s*(?:\{\s*(?:\\text\{)?\s*(?P<a>\w+)\s*\}?\s*\}|(?P<b>[0-9]+))"
)
_BASES: Final = {
    word: str(number)
    for number, word in enumerate(
        [
            "two",
            "three",
            "four",
            "five",
            "six",
            "seven",
            "eight",
            "nine",
            "ten",
            "eleven",
            "twelve",
        ],
        start=2,
    )
} | {"sixteen": "16"}
_NAME: Final = re.compile(
    r"(?P<name>\\?[A-Za-z]+(?:_\{?\w+\}?)?(?:\s*\([A-Za-z]\))?)\s*(?:=(?!=)|\\in(?![A-Za-z]))\s*(?P<rest>.+)"
)
_INTEGER_OR_DECIMAL: Final = re.compile(r"[-+]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)")
_FRACTION: Final = re.compile(
    r"(?P<sign>[-+]?)\s*(?:(?P<whole>[0-9]+)\s*(?=\\frac|\s[0-9]))?"
    r"(?:\\frac\{\s*(?P<a>-?[0-9]+(?:\.[0-9]+)?)\s*\}\{\s*(?P<b>-?[0-9]+(?:\.[0-9]+)?)\s*\}"
    r"|(?P<c>[0-9]+)\s*/\s*(?P<d>[0-9]+))"
)
_POWER_OF_TEN: Final = re.compile(
    r"(?P<a>[-+]?[0-9]+(?:\.[0-9]+)?)\s*(?:[eE]|(?:\\times|\\cdot|[*x])\s*10\s*\^)\s*\{?\s*(?P<n>[-+]?[0-9]{1,3})\s*\}?"
)
_REPEATING: Final = re.compile(r"(?P<head>-?[0-9]*\.[0-9]*)\\overline\{(?P<cycle>[0-9]{1,30})\}")
_RELATION: Final = re.compile(r"(?<![<>!\\])=|<=|>=|!=|<|>|\\(?:le|ge|lt|gt|ne)(?![A-Za-z])")
_OPERATORS: Final[dict[str, str]] = {
    r"\le": "<=",
    r"\ge": ">=",
    r"\lt": "<",
    r"\gt": ">",
    r"\ne": "!=",
}
_VARIABLE: Final = re.compile(r"\\?[A-Za-z](?:_\{?\w\}?)?|\\[a-z]+")
_MATRIX: Final = re.compile(
    r"\\begin\{(?:[pbvB]?matrix|array)\}(?:\{[lcr|]*\})?(?P<body>.*)\\end\{(?:[pbvB]?matrix|array)\}",
    re.DOTALL,
)
_PLUS_MINUS: Final = re.compile(r"\\(?:pm|mp)(?![A-Za-z])")
_WORDS: Final = re.compile(r"(?:\(?[A-Za-z]\)?|[A-Za-z][A-Za-z' -]*[A-Za-z])\.?")
_LONGEST_NUMBER: Final = 400


@lru_cache(maxsize=CACHE)
def read(answer: str) -> Reading:
    """Read one answer; what has no structure known here becomes an `Expression`."""
    text = latex.tidy(fold_symbols(answer))
    text = without_separators(text)
    name = None
    if (given := _NAME.fullmatch(text)) and _named(given):
        name, text = re.sub(r"[\s{}\\]", "", given["name"]), given["rest"]
    text, unit = latex.split_unit(text)
    base = _BASE.fullmatch(text)
    if base:
        written = base["a"] or base["b"]
        return Reading(
            _numeral(base["digits"]), Notes(unit, _BASES.get(written.lower(), written), name)
        )
    return Reading(_core(text), Notes(unit=unit, name=name))


def _named(given: re.Match[str]) -> bool:
    return len(_RELATION.findall(given["rest"])) == 0 and "," not in given["name"]


def _numeral(digits: str) -> Core:
    return Number(Fraction(int(digits))) if digits.isdigit() else Text(digits)


def _core(text: str) -> Core:
    text = latex.strip_group(text.strip())
    number = _number(text)
    if number is not None:
        return number
    if _PLUS_MINUS.search(text) and len(_PLUS_MINUS.findall(text)) == 1:
        return _list([_PLUS_MINUS.sub("+", text), _PLUS_MINUS.sub("-", text)])
    parts = latex.split_top(
        text, r",|;|\\text\{\s*(?:and|or)\s*\}|(?<=[\s\d}$)])(?:and|or)(?=[\s\\$(])"
    )
    if len(parts) > 1:
        return _list(parts)
    pieces = latex.split_top(text, r"\\cup(?![A-Za-z])")
    if len(pieces) > 1:
        return Structure("union", ordered=False, parts=tuple(_core(piece) for piece in pieces))
    matrix = _MATRIX.fullmatch(text)
    if matrix:
        rows = [row.split("&") for row in matrix["body"].strip().rstrip("\\").split("\\\\")]
        cells = tuple(_core(cell) for row in rows for cell in row)
        return Structure(f"matrix{len(rows)}", ordered=True, parts=cells)
    bracketed = latex.brackets(text)
    if bracketed:
        opening, inside, closing = bracketed
        parts = latex.split_top(inside, ",")
        if opening == "{":
            return _list(parts if inside.strip() else [])
        if len(parts) > 1:
            cores = tuple(_core(part) for part in parts)
            return Structure(opening + closing, ordered=True, parts=cores)
    relation = _relation(text)
    if relation is not None:
        return relation
    words = latex.plain_words(text)
    if _WORDS.fullmatch(words) and (len(words) > 1 or "text" in text):
        letters = words.strip("().").strip()
        return Text(letters if len(letters) == 1 else " ".join(letters.casefold().split()))
    return Expression(text)


def _list(parts: list[str]) -> Core:
    cores: list[Core] = []
    for part in parts:
        core = read(part).core
        if isinstance(core, Structure) and core.shape == "list":
            cores.extend(core.parts)
        else:
            cores.append(core)
    return cores[0] if len(cores) == 1 else Structure("list", ordered=False, parts=tuple(cores))


def _number(text: str) -> Number | None:
    if len(text) > _LONGEST_NUMBER:
        return None
    if _INTEGER_OR_DECIMAL.fullmatch(text):
        return Number(Fraction(text.rstrip(".") if text[-1] == "." else text))
    if fraction := _FRACTION.fullmatch(text):
        top, bottom = (fraction["a"] or fraction["c"]), (fraction["b"] or fraction["d"])
        if Fraction(bottom) == 0:
            return None
        value = Fraction(fraction["whole"] or 0) + Fraction(top) / Fraction(bottom)
        return Number(-value if fraction["sign"] == "-" else value)
    if power := _POWER_OF_TEN.fullmatch(text):
        return Number(Fraction(power["a"]) * Fraction(10) ** int(power["n"]))
    if cycle := _REPEATING.fullmatch(text):
        head, digits = cycle["head"], cycle["cycle"]
        places = len(head.split(".")[1])
        value = abs(Fraction(head + "0")) + Fraction(
            int(digits), (10 ** len(digits) - 1) * 10**places
        )
        return Number(-value if head.startswith("-") else value)
    return None


def _relation(text: str) -> Core | None:
    operators = [_OPERATORS.get(found, found) for found in _RELATION.findall(text)]
    sides = [side.strip() for side in _RELATION.split(text)]
    if not operators or not all(sides):
        return None
    if len(operators) == 2 and _VARIABLE.fullmatch(sides[1]):
        return _between(sides[0], operators[0], operators[1], sides[2])
    if len(operators) > 1:
        return None
    (left, right), operator = sides, operators[0]
    if operator in {">", ">="}:
        left, right, operator = right, left, operator.replace(">", "<")
    if operator in {"<", "<="}:
        closed = operator == "<="
        if _VARIABLE.fullmatch(left):
            return _interval("(", r"-\infty", right, "]" if closed else ")")
        if _VARIABLE.fullmatch(right):
            return _interval("[" if closed else "(", left, r"\infty", ")")
        return Relation("<=" if closed else "<", left, right)
    return Relation("=" if operator == "=" else "!=", left, right)


def _between(low: str, first: str, second: str, high: str) -> Core | None:
    if first in {">", ">="} and second in {">", ">="}:
        low, first, second, high = high, second.replace(">", "<"), first.replace(">", "<"), low
    if first not in {"<", "<="} or second not in {"<", "<="}:
        return None
    return _interval("[" if first == "<=" else "(", low, high, "]" if second == "<=" else ")")


def _interval(opening: str, low: str, high: str, closing: str) -> Structure:
    return Structure(opening + closing, ordered=True, parts=(_core(low), _core(high)))
