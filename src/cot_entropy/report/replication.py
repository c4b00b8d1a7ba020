"""`replication.csv` as page and terminal show it: a table of measures per claim, pooled lines."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from cot_entropy.report import text
from cot_entropy.stats.replication.rows import THIS_RUN, ReplicationRow

MEASURES: Final = {
    "original_effect": "Original",
    "replication_effect": "Replication",
    "significant_in_the_same_direction": "Both significant, same direction",
    "original_in_replication_interval": "Original inside the replication's 95 % interval",
    "replication_in_prediction_interval": "Replication inside the original's prediction interval",
    "difference": "Not significantly different (Q)",
    "small_telescopes": "Small telescopes: not below the effect of 33 % power",
    "sceptical_p_nominal": "Sceptical p, nominal",
    "sceptical_p_golden": "Sceptical p, golden level",
    "replication_bayes_factor": "Replication Bayes factor",
    "original_equivalence": "Original inside the equivalence bounds",
    "replication_equivalence": "Replication inside the equivalence bounds",
    "null_in_both": "Null replicated: both inside",
    "original_null_bayes_factor": "Original's Bayes factor for the null",
    "replication_null_bayes_factor": "Replication's Bayes factor for the null",
    "significance": "Significance",
    "combined_effect": "Combined, fixed effect",
}
"""Measures in the order shown."""
SCALES: Final = {"accuracy_gap_pp": "gap, points", "odds_ratio": "odds ratio", "rho": "rho"}
FACTORS: Final = frozenset(
    {"replication_bayes_factor", "original_null_bayes_factor", "replication_null_bayes_factor"}
)
MARKS: Final = {True: "✓", False: "✗", None: ""}


@dataclass(frozen=True)
class Answer:
    """What one measure says: its number, and whether the criterion is met."""

    shown: str
    met: bool | None = None

    @property
    def mark(self) -> str:
        """A tick, a cross, or nothing where the measure is no criterion."""
        return MARKS[self.met]


@dataclass(frozen=True, kw_only=True)
class PairColumn:
    """An original beside a later study of one cell, on one scale."""

    cell: str
    original: str
    replication: str
    scale: str
    pilot: bool
    answers: dict[str, Answer]

    @property
    def met(self) -> tuple[int, int]:
        """Criteria met, and criteria that could be."""
        decided = [one.met for one in self.answers.values() if one.met is not None]
        return sum(decided), len(decided)


@dataclass(frozen=True, kw_only=True)
class PairTable:
    """One claim: measures in rows, pairs of studies in columns."""

    hypothesis: str
    columns: tuple[PairColumn, ...]

    @property
    def measures(self) -> tuple[tuple[str, tuple[Answer, ...]], ...]:
        """(label, one answer per column), measures that no pair has left out."""
        blank = Answer("")
        return tuple(
            (label, tuple(column.answers.get(name, blank) for column in self.columns))
            for name, label in MEASURES.items()
            if any(name in column.answers for column in self.columns)
        )


@dataclass(frozen=True, kw_only=True)
class PooledLine:
    """One number over the cells."""

    hypothesis: str
    cell: str
    quantity: str
    scale: str
    value: str
    p_value: str
    mark: str
    reason: str


def pair_tables(
    rows: Sequence[ReplicationRow], *, scales: Sequence[str] = tuple(SCALES)
) -> tuple[PairTable, ...]:
    """A table per hypothesis; matched designs first, then pairs with a pilot."""
    pairs: dict[tuple[str, str, str, str, str], list[ReplicationRow]] = {}
    for row in rows:
        if row.id == "E14" and row.replication and row.scale in scales:
            key = row.hypothesis, row.cell, row.original, row.replication, row.scale
            pairs.setdefault(key, []).append(row)
    tables: dict[str, list[PairColumn]] = {}
    for (hypothesis, cell, original, replication, scale), found in pairs.items():
        column = PairColumn(
            cell=cell,
            original=original,
            replication=replication,
            scale=SCALES[scale],
            pilot=any(row.design == "pilot" for row in found),
            answers={row.quantity: _answer(row) for row in found},
        )
        tables.setdefault(hypothesis, []).append(column)
    return tuple(
        PairTable(hypothesis=name, columns=tuple(sorted(columns, key=lambda one: one.pilot)))
        for name, columns in tables.items()
    )


def pooled_lines(rows: Sequence[ReplicationRow]) -> tuple[PooledLine, ...]:
    """E15's rows as text, in file order."""
    return tuple(
        PooledLine(
            hypothesis=row.hypothesis,
            cell=row.cell,
            quantity=row.quantity.replace("_", " "),
            scale=SCALES.get(row.scale, ""),
            value=_value(row),
            p_value="" if row.p_value is None else text.p_value(row.p_value),
            mark=MARKS[row.met],
            reason=row.reason,
        )
        for row in rows
        if row.id == "E15"
    )


def sentence(rows: Sequence[ReplicationRow]) -> str:
    """How many matched pairs meet every criterion, our own first."""
    columns = [one for table in pair_tables(rows) for one in table.columns if not one.pilot]
    parts = []
    for named, of in (("this run", True), ("published replications", False)):
        own = [one for one in columns if (one.replication == THIS_RUN) is of and one.met[1]]
        if own:
            full = sum(one.met[0] == one.met[1] for one in own)
            parts.append(f"{named}: every criterion met in {full} of {len(own)} matched pairs")
    return f"{'; '.join(parts)}." if parts else "No published study has a matched cell here."


def notes(rows: Sequence[ReplicationRow]) -> tuple[str, ...]:
    """What could not be rebuilt, or paired, from what was printed, each once."""
    found: dict[str, None] = {}
    for row in rows:
        if row.quantity not in {"original_effect", "replication_effect", "unpaired_effect"}:
            continue
        study = row.replication if row.quantity == "replication_effect" else row.original
        if not row.replication or row.estimate is None or row.basis == "approximation":
            what = f"{study}, {row.cell}, {SCALES.get(row.scale, row.scale)}"
            found[f"{what}: {row.reason}"] = None
    return tuple(found)


def _answer(row: ReplicationRow) -> Answer:
    if row.quantity == "significance":
        return Answer(row.reason.partition(":")[0])
    if row.quantity in FACTORS:
        return Answer(_factor(row.estimate), row.met)
    if row.quantity in {"difference", "small_telescopes"} or row.quantity.startswith("sceptical"):
        return Answer("" if row.p_value is None else f"p {text.p_value(row.p_value)}", row.met)
    if row.estimate is None and row.p_value is not None:
        return Answer(f"p {text.p_value(row.p_value)}", row.met)
    approximate = "≈ " if row.basis == "approximation" else ""
    return Answer(f"{approximate}{_value(row)}" if row.estimate is not None else "", row.met)


def _factor(value: float | None) -> str:
    if value is None:
        return "–"
    if value >= 1:
        return text.compact(value) if value < 1000 else "> 1000"
    return f"1/{text.compact(1 / value)}" if value > 0.001 else "< 1/1000"


def _value(row: ReplicationRow) -> str:
    """The estimate with its interval, in the decimals of its scale."""
    if row.estimate is None:
        return ""
    places = {"accuracy_gap_pp": 1, "odds_ratio": 2, "rho": 3}.get(row.scale, 0)
    if row.quantity == "i2":
        return text.percent(row.estimate, 0)
    shown = text.plain(row.estimate, 3 if row.quantity == "tau" else places)
    if row.ci_low is None or row.ci_high is None:
        return shown
    return f"{shown} [{text.plain(row.ci_low, places)}, {text.plain(row.ci_high, places)}]"
