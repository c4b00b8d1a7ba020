"""The verdict matrix: hypotheses by cells, as text."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from cot_entropy.report import text
from cot_entropy.report.absence import why_not_run
from cot_entropy.report.inputs import ReportInputs
from cot_entropy.stats.read_tables import VERDICTS, Row


@dataclass(frozen=True, kw_only=True)
class Place:
    """One hypothesis in one cell, as text."""

    cell: str
    kind: str
    word: str
    estimate: str
    interval: str
    p: str
    p_holm: str
    n: str
    n_monotone: str
    n_correct: str
    reason: str

    @property
    def symbol(self) -> str:
        """The verdict's sign: colour is never the only difference."""
        return text.SYMBOLS[self.word]


@dataclass(frozen=True, kw_only=True)
class Line:
    """One hypothesis over all cells; None where it is not about a cell."""

    id: str
    anchor: str
    claim: str
    unit: str
    tally: str
    places: tuple[Place | None, ...]
    absence: str = ""
    """Why the hypothesis has no place in any column; empty where it has one."""


@dataclass(frozen=True, kw_only=True)
class Matrix:
    """Hypotheses by cells."""

    cells: tuple[str, ...]
    lines: tuple[Line, ...]
    not_run: tuple[str, ...]
    """Cells without any hypothesis run; they have no column."""
    sentence: str
    note: str
    """The reason that every verdict shares, such as a missing freeze."""


def verdict_matrix(inputs: ReportInputs) -> Matrix:
    """The matrix in plan order; cells where nothing was run are named beside it."""
    run = {row.cell for row in inputs.verdicts if row.verdict != "not run"}
    named = tuple(dict.fromkeys(row.cell for row in inputs.verdicts))
    cells = tuple(cell for cell in named if cell in run) or named
    by_place = {(row.id, row.cell): row for row in inputs.verdicts}
    shared = shared_reasons(inputs.verdicts)
    lines = []
    for hypothesis in inputs.plan.plan.hypotheses:
        rows = [by_place.get((hypothesis.id, cell)) for cell in cells]
        lines.append(
            Line(
                id=hypothesis.id,
                anchor=text.slug(hypothesis.id),
                claim=hypothesis.claim,
                unit=text.UNITS[hypothesis.estimand],
                tally=tally([row for row in rows if row]),
                absence="" if any(rows) else why_not_run(inputs, hypothesis),
                places=tuple(
                    place(row, hypothesis.estimand, shared) if row else None for row in rows
                ),
            )
        )
    return Matrix(
        cells=cells,
        lines=tuple(lines),
        not_run=tuple(cell for cell in named if cell not in cells),
        sentence=_sentence(inputs.verdicts),
        note="; ".join(shared),
    )


def shared_reasons(rows: Sequence[Row]) -> tuple[str, ...]:
    """The parts of `reason` that every row has: said once, not in every line."""
    parts = [row.reason.split("; ") for row in rows]
    if not parts:
        return ()
    return tuple(part for part in parts[0] if part and all(part in other for other in parts))


def tally(rows: Sequence[Row]) -> str:
    """`Supported in 4 of 6 cells, inconclusive in 2.`, registered cells first."""
    parts = []
    for kind, label in (("confirmatory", ""), ("exploratory", "Exploratory: ")):
        chosen = [row for row in rows if row.kind == kind]
        words = Counter(row.verdict for row in chosen)
        counted = [f"{word} in {words[word]}" for word in VERDICTS if words[word]]
        if not counted:
            continue
        counted[0] += f" of {len(chosen)} cell" + ("" if len(chosen) == 1 else "s")
        sentence = ", ".join(counted) + "."
        parts.append(label + (sentence if label else sentence[0].upper() + sentence[1:]))
    return " ".join(parts)


def place(row: Row, estimand: str, shared: Sequence[str] = ()) -> Place:
    """One verdict as text; reasons in `shared` are left out."""
    places = text.decimals(estimand)
    return Place(
        cell=row.cell,
        kind=row.kind,
        word=row.verdict or "not run",
        estimate="" if row.estimate is None else text.estimate(row.estimate, estimand),
        interval=text.interval(row, places),
        p=text.p_value(row.p_value),
        p_holm=text.p_value(row.p_holm),
        n=text.count(row.n),
        n_monotone=text.count(row.n_monotone),
        n_correct=text.count(row.n_correct),
        reason="; ".join(part for part in row.reason.split("; ") if part not in shared),
    )


def _sentence(rows: Sequence[Row]) -> str:
    confirmatory = [row for row in rows if row.kind == "confirmatory"]
    others = [row for row in rows if row.kind == "exploratory" and row.verdict != "not run"]
    parts = []
    if confirmatory:
        parts.append(f"Of {len(confirmatory)} registered tests: {_counted(confirmatory)}.")
    else:
        parts.append("No verdict here is confirmatory.")
    if others:
        parts.append(f"Exploratory verdicts, marked so: {_counted(others)}.")
    return " ".join(parts)


def _counted(rows: Sequence[Row]) -> str:
    words = Counter(row.verdict for row in rows)
    return ", ".join(f"{words[word]} {word}" for word in VERDICTS if words[word])
