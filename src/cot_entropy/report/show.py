"""`cot-entropy show`: the verdict matrix, or one question's trajectory, in a terminal.

Functions return rich renderables, so that colour, width and NO_COLOR are the console's business.
Text from a run is never read as rich markup, and moves no cursor.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import pandas as pd
from rich.console import Console, Group, RenderableType
from rich.table import Table
from rich.text import Text

from cot_entropy.base.errors import DataError
from cot_entropy.base.printable import printable
from cot_entropy.formats.records import ChainRecord, PrefixRecord, read_records
from cot_entropy.plan.load import load_plan
from cot_entropy.plan.model import Plan, Protocol
from cot_entropy.registration.provenance import FOLDER, PLAN, REGISTRATION
from cot_entropy.report import text
from cot_entropy.report.inputs import CellFiles, cell_files
from cot_entropy.report.registered import studied_protocol
from cot_entropy.report.replication import MEASURES, notes, pair_tables, pooled_lines, sentence
from cot_entropy.report.units import probed_units, rises
from cot_entropy.stats.calibration.planning import SuccessRow
from cot_entropy.stats.calibration.success import NOTE, size_text
from cot_entropy.stats.cells import Cell, read_cell
from cot_entropy.stats.read_tables import Row, read_rows
from cot_entropy.stats.replication.rows import ReplicationRow

STYLES = {
    "supported": "green",
    "refuted": "red",
    "inconclusive": "yellow",
    "not assessable": "dim",
    "not run": "dim",
    "failed": "bold red",
}
REGISTERED = Protocol(chain="registered", probe="registered", scoring="registered")
"""The blocks of the registered plan; a run's own plan may name others."""
EPS = 0.01


def show_verdicts(results: Path, *, cell: str | None = None) -> RenderableType:
    """The verdict matrix of results/<study>/, or of one cell; raises DataError without a verdict.

    Below the table stand what its numbers are, and the cells where nothing was run.
    """
    path = results / "verdicts.csv"
    rows = read_rows(path)
    if not rows:
        raise DataError(f"{path}: holds no verdict; run the study first")
    if cell is not None:
        known = ", ".join(dict.fromkeys(row.cell for row in rows))
        rows = tuple(row for row in rows if row.cell == cell)
        if not rows:
            raise DataError(f"{path}: no cell `{cell}`; there are: {known}")
    run = {row.cell for row in rows if row.verdict != "not run"}
    named = list(dict.fromkeys(row.cell for row in rows))
    cells = [cell for cell in named if cell in run] or named
    by_place = {(row.id, row.cell): row for row in rows}
    table = Table(title=_text(f"Verdicts of {results.name}"), title_justify="left")
    table.add_column("")
    for name in cells:
        table.add_column(_text("\n".join(name.split("/")), keep="\n"), overflow="fold")
    ids = dict.fromkeys(row.id for row in rows)
    estimands = _estimands(results)
    for name in ids:
        places = [by_place.get((name, cell)) for cell in cells]
        if any(places):
            shown = (_place(row, estimands) for row in places)
            table.add_row(_text(name), *shown, end_section=True)
    absent = [cell for cell in named if cell not in cells]
    elsewhere = [name for name in ids if not any(by_place.get((name, cell)) for cell in cells)]
    notes = _key(estimands, rows)
    if absent:
        notes.append(f"not run: {', '.join(absent)}")
    if elsewhere:
        notes.append(f"{', '.join(elsewhere)}: about none of the cells that were run")
    return Group(table, *(_text(note, style="dim") for note in notes))


def show_question(results: Path, question_id: str, *, cell: str | None = None) -> RenderableType:
    """One question's trajectory under the registered protocol.

    Raises DataError where no cell has the question, or several do and `cell` names none of them.
    """
    protocol, eps = _registered(results)
    files, whole, position = _find(results, protocol, question_id, cell)
    row = whole.frame.iloc[position]
    entropies = [None if np.isnan(h) else float(h) for h in whole.entropies[position]]
    entropies = entropies[: int(row["n_units"]) + 1]
    risen = rises(entropies, eps)
    units = _units(files, question_id)
    answers = list(row["answers"]) if whole.has("answers") else None
    table = Table("k", "H, nats", "", "answers", "unit", title_justify="left")
    for k, entropy in enumerate(entropies):
        given = "" if answers is None else ", ".join(a or "no answer" for a in answers[k])
        unit = "" if k == 0 or units is None else units[k - 1].strip()
        mark = Text("▲ violation", style="red") if k in risen else Text("")
        table.add_row(str(k), text.plain(entropy, 3), mark, _text(given), _text(unit, keep="\n"))
    outcome = "right" if row["correct"] else "wrong"
    flag = row["monotone"]
    shape = "shape undefined" if pd.isna(flag) else "monotone" if flag else "not monotone"
    answer = "no answer" if pd.isna(row["majority_answer"]) else f"answer {row['majority_answer']}"
    return Group(_text(f"{whole.name} {question_id}: {outcome}, {shape}, {answer}"), table)


def show_replication(rows: Sequence[ReplicationRow]) -> RenderableType:
    """The measures of replication on each estimand's own scale, then the cells together."""
    parts: list[RenderableType] = [Text(sentence(rows))]
    for found in pair_tables(rows, scales=("accuracy_gap_pp", "rho")):
        title = Text(f"{found.hypothesis}: does it replicate?")
        table = Table("", title=title, title_justify="left")
        for one in found.columns:
            pilot = "\npilot" if one.pilot else ""
            table.add_column(Text(f"{one.original}\n→ {one.replication}\n{one.cell}{pilot}"))
        for label, answers in found.measures:
            table.add_row(Text(label), *(Text(f"{a.shown} {a.mark}".strip()) for a in answers))
        parts.append(table)
    if lines := pooled_lines(rows):
        table = Table(title=Text("One answer over the cells"), title_justify="left")
        for name in ("", "cells", "scale", "value", "p", "notes"):
            table.add_column(name, overflow="fold")
        for line in lines:
            name, value = f"{line.hypothesis} {line.quantity}", f"{line.value} {line.mark}".strip()
            texts = (name, line.cell, line.scale, value, line.p_value, line.reason)
            table.add_row(*map(Text, texts))
        parts.append(table)
    if told := notes(rows):
        parts.append(Text("Not rebuilt from what was printed (≈, or missing):", style="dim"))
        parts += [Text(f"- {line}", style="dim") for line in told]
    return Group(*parts)


def show_power(rows: Sequence[SuccessRow]) -> RenderableType:
    """Each outcome of a planned study, its chance, and the questions for 80 and 90 %."""
    one = rows[0]
    about = (
        f"Replication of {one.study}: {one.questions:,} questions a cell, accuracy "
        f"{text.percent(one.accuracy)}, flag rate {text.percent(one.flag_rate)}, Holm over "
        f"{one.cells} cells; true gap {text.plain(one.gap_pp, 1)} points "
        f"(design prior {one.prior}, shrinkage {one.shrinkage:g})"
    )
    table = Table("outcome", "chance", "questions for 80 %", "for 90 %")
    for row in rows:
        name = MEASURES.get(row.outcome, row.outcome)
        sizes = (size_text(row.questions_80), size_text(row.questions_90))
        table.add_row(Text(name), text.percent(row.chance), *sizes)
    return Group(Text(about), table, Text(NOTE, style="dim"))


def print_to_text(renderable: RenderableType, *, width: int = 120) -> str:
    """A renderable as plain text, for files and tests."""
    console = Console(width=width, no_color=True, force_terminal=False)
    with console.capture() as capture:
        console.print(renderable)
    return capture.get()


def _text(text_of_others: str, *, style: str = "", keep: str = "") -> Text:
    """Text as it is: no markup, no control characters but those in `keep`."""
    return Text(printable(text_of_others, keep=keep), style=style)


def _estimands(results: Path) -> dict[str, str]:
    """What each hypothesis estimates, as the run's own copy of the plan has it; none without."""
    plan = _plan(results)
    return {one.id: one.estimand for one in plan.hypotheses} if plan else {}


def _key(estimands: Mapping[str, str], rows: Sequence[Row]) -> list[str]:
    """What words and numbers mean."""
    words = {row.verdict for row in rows if row.verdict != "not run"}
    lines = [
        f"{symbol} {word}: {text.MEANINGS[word]}"
        for word, symbol in text.SYMBOLS.items()
        if word in words
    ]
    lines.append(
        "in brackets the interval that decides; exploratory: not registered, or not as frozen"
    )
    shown = {row.id for row in rows if row.estimate is not None}
    names: dict[str, list[str]] = {}
    for hypothesis, estimand in estimands.items():
        if hypothesis in shown:
            names.setdefault(estimand, []).append(hypothesis)
    return [*lines, *(f"{', '.join(ids)}: {text.ESTIMANDS[one]}" for one, ids in names.items())]


def _place(row: Row | None, estimands: Mapping[str, str]) -> Text:
    if row is None:
        return Text("")
    word = row.verdict or "not run"
    shown = Text(f"{text.SYMBOLS[word]} {word}", style=STYLES[word])
    if row.estimate is not None:
        estimand = estimands.get(row.id, "")
        interval = text.interval(row, text.decimals(estimand))
        shown.append(
            f"\n{text.estimate(row.estimate, estimand)} {interval}".rstrip(), style="default"
        )
    if row.kind == "exploratory":
        shown.append("\nexploratory", style="dim italic")
    return shown


def _registered(results: Path) -> tuple[Protocol, float]:
    """The protocol's block names and eps, from the run's own copy of the plan if it has one."""
    plan = _plan(results)
    return (studied_protocol(results, plan), plan.eps) if plan else (REGISTERED, EPS)


def _plan(results: Path) -> Plan | None:
    """The run's own copy of the plan; None where it has none."""
    path = results / FOLDER / REGISTRATION / PLAN
    return load_plan(path).plan if path.is_file() else None


def _find(
    results: Path, protocol: Protocol, question_id: str, cell: str | None
) -> tuple[CellFiles, Cell, int]:
    known = _cells(results, protocol)
    if cell and cell not in known:
        raise DataError(f"{results}: no cell `{cell}`; there are: {', '.join(known)}")
    found = []
    for name in [cell] if cell else known:
        files = cell_files(results, name, protocol)
        whole = read_cell(files.trajectories)
        positions = np.flatnonzero((whole.frame["question_id"] == question_id).to_numpy())
        found += [(files, whole, int(position)) for position in positions]
    if not found:
        raise DataError(f"{results}: no question `{question_id}` in {cell or ', '.join(known)}")
    if len(found) > 1:
        where = ", ".join(whole.name for _, whole, _ in found)
        raise DataError(f"{results}: `{question_id}` is in {where}; name one with --cell")
    return found[0]


def _cells(results: Path, protocol: Protocol) -> list[str]:
    below = "/".join((protocol.chain, protocol.probe, protocol.scoring))
    paths = sorted(results.glob(f"*/*/{below}/trajectories.parquet"))
    if not paths:
        raise DataError(f"{results}: no trajectories; give a folder such as results/demo")
    return ["/".join(path.relative_to(results).parts[:2]) for path in paths]


def _units(files: CellFiles, question_id: str) -> list[str] | None:
    if not files.chains.exists() or not files.prefixes.exists():
        return None
    chains = (c for c in read_records(files.chains, ChainRecord) if c.question_id == question_id)
    cuts = (p for p in read_records(files.prefixes, PrefixRecord) if p.question_id == question_id)
    chain, cut = next(chains, None), next(cuts, None)
    return None if chain is None or cut is None else probed_units(chain, cut)
