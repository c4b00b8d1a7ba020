"""Consistency judgements of a run, as far as the report shows them.

Every `consistency/<judge>/<model>/<dataset>/judgements.jsonl.zst` is read; `source` names the cell,
`id` the question. The first judge's judgement of a question is shown, in the files' order.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from cot_entropy.base.errors import DataError
from cot_entropy.base.files import read_jsonl

SHOWN = (
    "outcome", "subtype", "confidence", "decided_by", "judge",
    "reasoning_summary", "answer_summary", "disconnect", "justification", "failure",
)  # fmt: skip


@dataclass(frozen=True)
class Judged:
    """One question's judgement: the outcome, and what is shown of it by name."""

    outcome: str
    shown: dict[str, str]


def read_judgements(results: Path) -> dict[tuple[str, str], Judged]:
    """Judgements by (cell, question id); raises DataError naming file and line."""
    found: dict[tuple[str, str], Judged] = {}
    for path in sorted((results / "consistency").glob("*/*/*/judgements.jsonl.zst")):
        for line, record in read_jsonl(path):
            for key in ("source", "id", "outcome"):
                if not isinstance(record.get(key), str):
                    raise DataError(f"{path}:{line}: key `{key}` must be text; scan again")
            shown = {key: str(record[key]) for key in SHOWN if record.get(key)}
            place = (record["source"], record["id"])
            found.setdefault(place, Judged(record["outcome"], shown))
    return found
