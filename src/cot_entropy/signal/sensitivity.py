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
from typing import Any, get_args

from cot_entropy.answers.types import AnswerKind, Equivalence, ExtractionRule
from cot_entropy.files import write_text
from cot_entropy.protocol.scoring import ScoringBlock
from cot_entropy.records import read_header
from cot_entropy.signal.score import Question, ScoreJob, read_questions, score_question
from cot_entropy.strict import Strict


class SensitivityJob(Strict):
    """What one cell's table depends on, beside its files."""

    cell: str
    scoring: ScoringBlock
    code_digest: str


@dataclass(frozen=True, kw_only=True)
class SensitivityRow:
    """One grader's view of a cell; shares in [0, 1], the gap in percentage points.

    `flag_rate` is the share of monotone chains among those with a defined shape; the gap is
    undefined where a group is empty.
    """

    cell: str
    extraction: ExtractionRule
    equivalence: Equivalence
    registered: bool
    n: int
    accuracy: float | None
    chain_accuracy: float | None
    no_answer_rate: float | None
    flag_rate: float | None
    n_monotone: int
    n_not_monotone: int
    accuracy_gap_pp: float | None


def sensitivity(
    job: SensitivityJob, *, chains: Path, prefixes: Path, completions: Path, out: Path
) -> None:
    """Write the table of one cell as CSV; a row per extraction rule and equivalence."""
    kind = read_header(chains).dataset.answer
    questions = list(read_questions(chains=chains, prefixes=prefixes, completions=completions))
    rows = [
        _row(job, questions, kind, extraction, equivalence)
        for extraction, equivalence in itertools.product(
            get_args(ExtractionRule), get_args(Equivalence)
        )
    ]
    text = io.StringIO()
    writer = csv.DictWriter(
        text, fieldnames=[field.name for field in fields(SensitivityRow)], lineterminator="\n"
    )
    writer.writeheader()
    writer.writerows(asdict(row) for row in rows)
    write_text(out, text.getvalue())


def _row(
    job: SensitivityJob,
    questions: Sequence[Question],
    kind: AnswerKind,
    extraction: ExtractionRule,
    equivalence: Equivalence,
) -> SensitivityRow:
    grader = {"extraction": extraction, "equivalence": equivalence}
    scoring = job.scoring.model_copy(update=grader)
    scorer = ScoreJob(cell=job.cell, scoring=scoring, code_digest=job.code_digest)
    scored = [score_question(question, job=scorer, kind=kind) for question in questions]
    groups: dict[bool, list[bool]] = {True: [], False: []}
    for row in scored:
        if row["monotone"] is not None:
            groups[row["monotone"]].append(row["correct"])
    monotone, other = groups[True], groups[False]
    completions = sum(len(labels) for row in scored for labels in row["answer_clusters"])
    missing = sum(sum(row["answers_missing"]) for row in scored)
    gap = 100 * (_mean(monotone) - _mean(other)) if monotone and other else None
    return SensitivityRow(
        cell=job.cell,
        extraction=extraction,
        equivalence=equivalence,
        registered=scoring == job.scoring,
        n=len(scored),
        accuracy=_mean([row["correct"] for row in scored]) if scored else None,
        chain_accuracy=_mean([row["chain_correct"] for row in scored]) if scored else None,
        no_answer_rate=missing / completions if completions else None,
        flag_rate=len(monotone) / (len(monotone) + len(other)) if monotone or other else None,
        n_monotone=len(monotone),
        n_not_monotone=len(other),
        accuracy_gap_pp=None if gap is None else gap + 0.0,
    )


def _mean(values: Sequence[Any]) -> float:
    return sum(map(bool, values)) / len(values)
