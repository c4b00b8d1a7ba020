"""What the generations of a run took: tokens, hours and starts, as the run noted them.

From `<stage>.run.json` where it stands beside the file; without it tokens are those that the
records hold, and hours those of the attempts that ended: a killed attempt has no end, and is
counted without its time.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

import numpy as np

from cot_entropy.formats.attempts import Attempt, read_attempts
from cot_entropy.formats.records import Header
from cot_entropy.formats.run_summary import RunSummary, read_summary
from cot_entropy.report import text
from cot_entropy.report.inputs import ReportInputs
from cot_entropy.stats.cells import Cell

TOKENS = {"chains": "chain_tokens", "completions": "probe_tokens"}
"""The column of the trajectories that counts a stage's tokens."""


@dataclass(frozen=True, kw_only=True)
class Cost:
    """One generation stage of one cell, as text."""

    cell: str
    stage: str
    device: str
    questions: str
    errors: str
    """Questions of the cell whose record holds an error."""
    tokens: str
    tokens_per_question: str
    prompts: str
    """Prompt tokens that the engine computed, and the share that it found in its cache."""
    hours: str
    tokens_per_second: str
    starts: str


@dataclass(frozen=True, kw_only=True)
class _Taken:
    """What one file took; None where nobody noted it."""

    tokens: int
    seconds: float | None
    starts: str
    prompts: str = "–"


def costs(inputs: ReportInputs) -> tuple[Cost, ...]:
    """One line per generation file; empty for a run that was analysed without them."""
    return tuple(_costs(inputs))


def _costs(inputs: ReportInputs) -> Iterator[Cost]:
    for name, files in inputs.files.items():
        cell = inputs.cells[name]
        present = [path for path in files.generations if path.exists()]
        for path, header in zip(present, inputs.headers[name], strict=True):
            summary = read_summary(path)
            taken = _noted(summary) if summary else _attempted(path, cell, header)
            yield Cost(
                cell=name,
                stage=header.stage,
                device=header.engine.device,
                questions=text.count(cell.n),
                errors=text.count(cell.failed),
                tokens=text.count(taken.tokens),
                tokens_per_question=text.compact(taken.tokens / max(cell.n, 1)),
                prompts=taken.prompts,
                hours=text.plain(None if taken.seconds is None else taken.seconds / 3600, 2),
                tokens_per_second=text.plain(
                    taken.tokens / taken.seconds if taken.seconds else None, 0
                ),
                starts=taken.starts,
            )


def _noted(summary: RunSummary) -> _Taken:
    prompts = summary.prompt_tokens_computed + summary.prompt_tokens_reused
    reused = text.percent(summary.prompt_tokens_reused / prompts if prompts else None, 0)
    restarts = f", engine restarts: {summary.restarts}" if summary.restarts else ""
    return _Taken(
        tokens=summary.generated_tokens,
        seconds=summary.wall_seconds,
        starts=f"{summary.attempts}{restarts}",
        prompts=f"{text.count(summary.prompt_tokens_computed)}, {reused} reused",
    )


def _attempted(path: Path, cell: Cell, header: Header) -> _Taken:
    """Tokens of the trajectories, seconds of the attempts that ended."""
    attempts = read_attempts(path)
    ended = [_seconds(one, one.ended) for one in attempts if one.ended is not None]
    killed = len(attempts) - len(ended)
    starts = f"{len(attempts)}" + (f", {killed} killed" if killed else "")
    return _Taken(
        tokens=int(np.nansum(cell.values(TOKENS[header.stage]))),
        seconds=sum(ended) if ended else None,
        starts=starts if attempts else "not noted",
    )


def _seconds(one: Attempt, ended: str) -> float:
    return (datetime.fromisoformat(ended) - datetime.fromisoformat(one.started)).total_seconds()
