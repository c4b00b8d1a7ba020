r"""What an answer is under the equivalence `by_value`: a core, and notes that may be missing.

A *note* is what writers leave out: a unit (`cm`, `^\circ`, `\%`, `\$`), the base of a numeral
(`40_9`), the name of what is given (`x = 5`). The core is a number, words, an expression, a
relation, or a structure of readings: a list or set (no order), a tuple or interval (order and
brackets count), a union, a matrix.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from typing import Literal


@dataclass(frozen=True)
class Number:
    """An exact rational; a decimal means the number it writes."""

    value: Fraction


@dataclass(frozen=True)
class Words:
    """Words, case-folded; a single letter keeps its case."""

    text: str


@dataclass(frozen=True)
class Expression:
    """LaTeX that is left to the computer algebra."""

    latex: str


@dataclass(frozen=True)
class Relation:
    """`left operator right`, where it is no interval of one variable."""

    operator: Literal["=", "<", "<=", "!="]
    left: str
    right: str


@dataclass(frozen=True)
class Structure:
    """Parts in brackets; `ordered` parts compare by position, others as a multiset."""

    shape: str
    parts: tuple[Reading, ...]
    ordered: bool


@dataclass(frozen=True)
class Unread:
    """An answer over the registered limits."""

    text: str


Core = Number | Words | Expression | Relation | Structure | Unread


@dataclass(frozen=True)
class Notes:
    """What a writer may leave out; None where it is left out."""

    unit: str | None = None
    base: str | None = None
    name: str | None = None

    def contradict(self, other: Notes) -> bool:
        """Whether both say something different about the same thing."""
        pairs = ((self.unit, other.unit), (self.base, other.base), (self.name, other.name))
        return any(a is not None and b is not None and a != b for a, b in pairs)


@dataclass(frozen=True)
class Reading:
    """An answer's core and its notes."""

    core: Core
    notes: Notes = field(default_factory=Notes)

    def equation(self) -> Relation | None:
        """The equation that this answer states, also where it gives a named value."""
        if isinstance(self.core, Relation):
            return self.core if self.core.operator == "=" else None
        value = as_latex(self.core)
        if self.notes.name is None or value is None:
            return None
        return Relation("=", self.notes.name, value)


def as_latex(core: Core) -> str | None:
    """A number, letter or expression as LaTeX; None for other cores."""
    if isinstance(core, Expression):
        return core.latex
    if isinstance(core, Number):
        return rf"\frac{{{core.value.numerator}}}{{{core.value.denominator}}}"
    return core.text if isinstance(core, Words) and len(core.text) == 1 else None
