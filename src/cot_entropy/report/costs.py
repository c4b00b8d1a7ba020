"""What the generations of a run took: tokens, hours and starts, as the run noted them.

Tokens are those that the stored records hold. Hours are from start to end of the attempts that
ended; a killed attempt has no end, and is counted without its time.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

import numpy as np

from cot_entropy.prereg.attempts import Attempt, read_attempts
from cot_entropy.report import text
from cot_entropy.report.inputs import ReportInputs

TOKENS = {"chains": "chain_tokens", "completions": "probe_tokens"}
"""The column of the trajectories that counts a stage's tokens."""


@dataclass(frozen=True, kw_only=True)
class Cost:
    """One generation stage of one cell, as text."""

    cell: str
    stage: str
    device: str
    questions: str
    tokens: str
    tokens_per_question: str
    hours: str
    tokens_per_second: str
    starts: str


def costs(inputs: ReportInputs) -> tuple[Cost, ...]:
    """One line per generation file; empty for a run that was analysed without them."""
    return tuple(_costs(inputs))


def _costs(inputs: ReportInputs) -> Iterator[Cost]:
    for cell, files in inputs.files.items():
        frame = inputs.cells[cell].frame
        for path in files.generations:
            if not path.exists():
                continue
            header = next(one for one in inputs.headers[cell] if path.name.startswith(one.stage))
            tokens = int(np.nansum(inputs.cells[cell].values(TOKENS[header.stage])))
            seconds, starts = _time(path)
            yield Cost(
                cell=cell,
                stage=header.stage,
                device=header.engine.device,
                questions=text.count(len(frame)),
                tokens=text.count(tokens),
                tokens_per_question=text.compact(tokens / max(len(frame), 1)),
                hours=text.plain(None if seconds is None else seconds / 3600, 2),
                tokens_per_second=text.plain(tokens / seconds if seconds else None, 0),
                starts=starts,
            )


def _time(generation: Path) -> tuple[float | None, str]:
    """Seconds of the attempts that ended, and the attempts in words."""
    attempts = read_attempts(generation)
    if not attempts:
        return None, "not noted"
    ended = [_seconds(one, one.ended) for one in attempts if one.ended is not None]
    killed = len(attempts) - len(ended)
    words = f"{len(attempts)}" + (f", {killed} killed" if killed else "")
    return (sum(ended) if ended else None), words


def _seconds(one: Attempt, ended: str) -> float:
    return (datetime.fromisoformat(ended) - datetime.fromisoformat(one.started)).total_seconds()
