"""`comparison.csv` as the report shows it: published figures, ours beside them, marks for plots."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from cot_entropy.base.errors import DataError
from cot_entropy.report import text
from cot_entropy.stats.read_tables import Table, number

BY_VIOLATIONS = {
    "accuracy_0_violations_percent": "0",
    "accuracy_1_violation_percent": "1",
    "accuracy_2_violations_percent": "2",
}
"""Published accuracies by violation count, and the group of ours that each belongs to."""


@dataclass(frozen=True, kw_only=True)
class Published:
    """One published figure, with its interval where the printed counts give one."""

    source: str
    study: str
    cell: str
    quantity: str
    matched: str
    """What of its design is the registered one's."""
    value: float
    low: float | None = None
    high: float | None = None

    @property
    def style(self) -> str:
        """The class of its mark: shape and colour by source, filled where the protocol is ours."""
        return f"{self.source.lower()}{'' if same_protocol(self.matched) else ' hollow'}"

    @property
    def label(self) -> str:
        """Its line in a legend."""
        return f"{self.source}, same {self.matched}"


@dataclass(frozen=True, kw_only=True)
class Compared:
    """One line of the comparison as text."""

    source: str
    cell: str
    quantity: str
    matched: str
    published: str
    ours: str
    difference: str
    notes: str


def published_figures(table: Table | None) -> tuple[Published, ...]:
    """Every published figure with a value; none where the run has no comparison."""
    return tuple(
        Published(
            source=row["source"],
            study=row["study"],
            cell=row["cell"],
            quantity=row["quantity"],
            matched=row["matched"],
            value=value,
            low=_number(row, "published_ci_low", line),
            high=_number(row, "published_ci_high", line),
        )
        for line, row in _published_rows(table)
        if (value := _number(row, "published", line)) is not None
    )


def compared(table: Table | None) -> tuple[Compared, ...]:
    """The comparison's lines that have a published figure, in file order."""
    return tuple(
        Compared(
            source=" ".join(filter(None, (row["source"], row["version"]))),
            cell=row["cell"],
            quantity=row["quantity"].replace("_", " "),
            matched=row["matched"],
            published=_published(row, line),
            ours=_estimate(row, "ours", line),
            difference=_estimate(row, "difference", line),
            notes="; ".join(_notes(row)),
        )
        for line, row in _published_rows(table)
    )


def _published_rows(table: Table | None) -> list[tuple[int, Mapping[str, str]]]:
    if table is None:
        return []
    rows = [dict(zip(table.columns, row, strict=True)) for row in table.rows]
    for name in ("matched", "source", "published", "ours", "difference_note"):
        if name not in table.columns:
            raise DataError(f"comparison.csv: column `{name}` is missing; analyse again")
    return [(line, row) for line, row in enumerate(rows, start=2) if row["source"]]


def same_protocol(matched: str) -> bool:
    """Whether a design is the registered one in its protocol too."""
    return "protocol" in matched.split(", ")


def _published(row: Mapping[str, str], line: int) -> str:
    """`11.5 [7.6, 15.7]`, or `6 to 7` where the paper prints a range."""
    upper = _number(row, "published_to", line)
    shown = _estimate(row, "published", line)
    return shown if upper is None else f"{shown} to {text.compact(upper)}"


def _notes(row: Mapping[str, str]) -> Iterator[str]:
    """What a reader must know: the paper's wording, and figures that contradict each other."""
    if row["published_note"]:
        yield row["published_note"]
    if row["check"] == "differs":
        yield f"does not fit the study's other figures: {row['check_note']}"
    if row["difference_note"] and not row["difference"]:
        yield row["difference_note"]


def _estimate(row: Mapping[str, str], name: str, line: int) -> str:
    value = _number(row, name, line)
    if value is None:
        return ""
    ends = [_number(row, f"{name}_ci_{end}", line) for end in ("low", "high")]
    if None in ends:
        return text.compact(value)
    return f"{text.compact(value)} [{text.compact(ends[0])}, {text.compact(ends[1])}]"


def _number(row: Mapping[str, str], name: str, line: int) -> float | None:
    return number(row[name], f"comparison.csv:{line}: column `{name}`")


def marks_of(figures: Sequence[Published], quantity: str) -> tuple[Published, ...]:
    """The figures of one quantity."""
    return tuple(figure for figure in figures if figure.quantity == quantity)
