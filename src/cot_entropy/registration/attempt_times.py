"""When a cell's files were generated, against the freeze and against each other.

The times are the author's own claims: one that contradicts the freeze, or itself, is found; one
that was made up to fit is not.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import UTC, date, datetime
from itertools import pairwise
from typing import Literal

from cot_entropy.formats.attempts import Attempt
from cot_entropy.registration.provenance import BASELINE, CellRecord, RunRecord

CHAINS = "chains.jsonl.zst"
UNTIMED = "prefixes.jsonl.zst"
"""Cut from chains in a moment, without an engine: no attempt is noted."""


def timing_problems(
    cell: CellRecord, run: RunRecord, *, frozen_at: str | None, of: Literal["rows", "baseline"]
) -> Iterator[str]:
    """Attempts that lie before the freeze, overlap, run backwards, or are missing; one line each.

    Of the files that rows rest on, or of the baseline's. Shards of one file run side by side.
    """
    for path in cell.headers:
        name = path.rsplit("/", 1)[-1]
        if name == UNTIMED or (name == BASELINE) != (of == "baseline"):
            continue
        try:
            yield from _problems(path, cell, _moment(frozen_at) if frozen_at else None)
            if run.configuration.study.shards == 1:
                yield from _overlaps(path, cell.attempts.get(path, []))
        except ValueError as error:
            yield f"{path}: an attempt's time is none ({error})"


def results_on(cells: Sequence[CellRecord]) -> date | None:
    """The day on which the first chains of a run were there, UTC; None where no attempt says."""
    ends = [
        one.ended
        for cell in cells
        for path, noted in cell.attempts.items()
        if path.endswith(f"/{CHAINS}")
        for one in noted
        if one.ended
    ]
    try:
        return min(map(_moment, ends)).astimezone(UTC).date()
    except ValueError:  # no end, or one that is no time
        return None


def _problems(path: str, cell: CellRecord, frozen: datetime | None) -> Iterator[str]:
    attempts = cell.attempts.get(path, [])
    if not attempts:
        yield f"{path}: no attempt is noted that generated it"
        return
    for one in attempts:
        if frozen and _moment(one.started) < frozen:
            yield f"{path}: an attempt started at {one.started}, before the freeze"
        if one.ended and _moment(one.ended) < _moment(one.started):
            yield f"{path}: an attempt ended at {one.ended}, before it started"
    end = _end(attempts)
    if end is None:
        yield f"{path}: no attempt at it ended"
        return
    chains = _end(cell.attempts.get(_chains_of(path), []))
    if chains and end < chains:
        yield f"{path}: ended at {end:%Y-%m-%dT%H:%M:%SZ}, before the chains it goes on from"


def _overlaps(path: str, attempts: Sequence[Attempt]) -> Iterator[str]:
    for first, second in pairwise(attempts):
        if _moment(second.started) < _moment(first.ended or first.started):
            yield f"{path}: an attempt started at {second.started}, while another one ran"


def _end(attempts: Sequence[Attempt]) -> datetime | None:
    return max((_moment(one.ended) for one in attempts if one.ended), default=None)


def _chains_of(path: str) -> str:
    above = 1 if path.rsplit("/", 1)[-1] in {BASELINE, CHAINS} else 2
    return f"{path.rsplit('/', above)[0]}/{CHAINS}"


def _moment(text: str) -> datetime:
    moment = datetime.fromisoformat(text)
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)
