"""How far a cell's result rests on the grader: every extraction rule by every equivalence.

Stored completions are scored again; nothing is generated. The registered pair is one of the rows.
"""

from __future__ import annotations

import csv
import io
import itertools
from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from statistics import fmean

from cot_entropy.answers import is_cut_at_comma
from cot_entropy.base.files import write_text
from cot_entropy.formats.records import read_header
from cot_entropy.protocol.names import AnswerKind, Equivalence, ExtractionRule
from cot_entropy.protocol.scoring import Grader, ScoreJob, ScoringBlock, SensitivityJob
from cot_entropy.signal.score import Question, read_questions, score_question, searched_texts


@dataclass(frozen=True, kw_only=True)
class SensitivityRow:
    """One grader's view of a cell; shares in [0, 1], the gap in percentage points."""

    cell: str
    """`model/dataset`."""
    extraction: ExtractionRule
    """Which answer a completion gives."""
    equivalence: Equivalence
    """When two answers are the same."""
    registered: bool
    """Whether this is the registered grader."""
    n: int
    """Questions."""
    accuracy: float | None
    """Share of right majority answers."""
    chain_accuracy: float | None
    """Share of right answers of the chains' own."""
    no_answer_rate: float | None
    """Share of completions without an answer."""
    cut_at_comma: int
    """Completions whose answer is cut out of digits with other commas (`3,5`, `1,00,000`)."""
    flag_rate: float | None
    """Share of monotone chains among those with a defined shape."""
    n_monotone: int
    """Monotone chains."""
    n_not_monotone: int
    """The others with a defined shape."""
    accuracy_gap_pp: float | None
    """Accuracy of monotone chains less that of the others; empty where a group is."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Scored:
    """One question under one grader."""

    monotone: bool | None
    correct: bool
    chain_correct: bool
    completions: int
    missing: int
    cut_at_comma: int


def sensitivity(
    job: SensitivityJob, *, chains: Path, prefixes: Path, completions: Path, out: Path
) -> None:
    """Write the table of one cell as CSV; a row per extraction rule and equivalence."""
    kind = read_header(chains).dataset.answer
    graders = job.graders
    scored: dict[Grader, list[Scored]] = {grader: [] for grader in graders}
    for question in read_questions(chains=chains, prefixes=prefixes, completions=completions):
        for grader in graders:
            scored[grader].append(scored_by(question, job, kind, grader))
    rows = [_row(job, grader, scored[grader]) for grader in graders]
    text = io.StringIO()
    writer = csv.DictWriter(
        text, fieldnames=[field.name for field in fields(SensitivityRow)], lineterminator="\n"
    )
    writer.writeheader()
    writer.writerows(asdict(row) for row in rows)
    write_text(out, text.getvalue())


def scored_by(question: Question, job: SensitivityJob, kind: AnswerKind, grader: Grader) -> Scored:
    """Score one question by an extraction rule and an equivalence in place of the job's own."""
    scorer = ScoreJob(cell=job.cell, scoring=_with(job, grader), code_digest=job.code_digest)
    row = score_question(question, job=scorer, kind=kind)
    searched = [
        searched_texts(prefix, question, scorer.scoring) for prefix in question.completions.prefixes
    ]
    read = zip(itertools.chain(*searched), itertools.chain(*row["answers"]), strict=True)
    return Scored(
        monotone=row["monotone"],
        correct=row["correct"],
        chain_correct=row["chain_correct"],
        completions=sum(map(len, row["answer_clusters"])),
        missing=sum(row["answers_missing"]),
        cut_at_comma=sum(
            is_cut_at_comma(text, answer, rule=grader[0], kind=kind) for text, answer in read
        ),
    )


def _row(job: SensitivityJob, grader: Grader, scored: Sequence[Scored]) -> SensitivityRow:
    monotone = [row.correct for row in scored if row.monotone is True]
    other = [row.correct for row in scored if row.monotone is False]
    shapes = len(monotone) + len(other)
    completions = sum(row.completions for row in scored)
    gap = 100 * (fmean(monotone) - fmean(other)) if monotone and other else None
    return SensitivityRow(
        cell=job.cell,
        extraction=grader[0],
        equivalence=grader[1],
        registered=_with(job, grader) == job.scoring,
        n=len(scored),
        accuracy=fmean(row.correct for row in scored) if scored else None,
        chain_accuracy=fmean(row.chain_correct for row in scored) if scored else None,
        no_answer_rate=sum(row.missing for row in scored) / completions if completions else None,
        cut_at_comma=sum(row.cut_at_comma for row in scored),
        flag_rate=len(monotone) / shapes if shapes else None,
        n_monotone=len(monotone),
        n_not_monotone=len(other),
        accuracy_gap_pp=None if gap is None else gap + 0.0,
    )


def _with(job: SensitivityJob, grader: Grader) -> ScoringBlock:
    extraction, equivalence = grader
    return job.scoring.model_copy(update={"extraction": extraction, "equivalence": equivalence})
