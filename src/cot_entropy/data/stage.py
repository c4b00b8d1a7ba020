"""The `questions` stage: a dataset, checked, as the one file that later stages read."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

from cot_entropy.base.files import write_jsonl
from cot_entropy.data.job import QuestionsJob
from cot_entropy.data.load import load
from cot_entropy.data.questions import questions_sha256
from cot_entropy.formats.inputs import DatasetHeader


def prepare_questions(job: QuestionsJob, *, out: Path) -> None:
    """Load the dataset and write its questions in order; raises DataError."""
    loaded = load(job.dataset, root=Path())
    header = DatasetHeader(
        name=job.name,
        source=job.dataset.origin,
        revision=getattr(job.dataset, "revision", "none"),
        sha256=loaded.sha256,
        questions_sha256=questions_sha256(loaded.questions),
        answer=job.dataset.answer,
        questions=len(loaded.questions),
    )
    rows = (asdict(question) for question in loaded.questions)
    write_jsonl(out, [header.model_dump(mode="json"), *rows])
