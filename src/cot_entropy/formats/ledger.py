"""provenance/ledger.jsonl: every start, end, kill, resume and discard of a study, in order.

Each line holds the sha256 of the line before, so that none can be changed, dropped or put in
between without changing all that follow; the last one's is the ledger's head:

    {"number": 2, "event": "end", "file": "m/d/registered/chains.jsonl.zst", "sha256": "...",
     "previous": "5c1f...", ...}

What became of a file that is gone or was started over stands there too, as soon as the next job of
the study looks. A whole ledger can be thrown away and begun again: only a head that was published
shows that.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated, Final, Literal

from pydantic import Field, ValidationError

from cot_entropy.base.errors import DataError
from cot_entropy.base.strict import Strict, describe
from cot_entropy.formats.attempts import Host
from cot_entropy.protocol.baseline import SelfConsistencyJob
from cot_entropy.protocol.chain import ChainsJob
from cot_entropy.protocol.probe import CompletionsJob

LEDGER: Final = "provenance/ledger.jsonl"
FIRST: Final = "0" * 64
"""The first line has this as the hash of the line before."""
MAX_BYTES: Final = 64 * 1024 * 1024

GenerationJob = ChainsJob | CompletionsJob | SelfConsistencyJob
Event = Literal["begin", "start", "resume", "end", "kill", "discard", "gathered"]
Sha256 = Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]


class Work(Strict):
    """A job's settings and code, seed and device."""

    cell: str
    """`model/dataset`."""
    seed: int
    """The study's seed."""
    code: str
    """Digest of the stage's code."""
    settings: Sha256 | None
    """Hash of all of the job's settings; null where shards are joined."""
    device: str
    """`cuda` or `cpu`; once the file is whole, the name of the processor."""

    @classmethod
    def of(cls, job: GenerationJob, *, cell: str, seed: int) -> Work:
        """A job as the ledger has it."""
        settings = json.dumps(job.model_dump(mode="json"), sort_keys=True)
        return cls(
            cell=cell,
            seed=seed,
            code=job.code_digest,
            settings=hashlib.sha256(settings.encode()).hexdigest(),
            device=job.engine.device,
        )


class Entry(Strict):
    """One line of the ledger."""

    schema_version: Literal[1] = 1
    """Version of this format."""
    number: Annotated[int, Field(ge=1)]
    """From 1, without gaps."""
    time: str
    """UTC, by the author's clock: a claim."""
    event: Event
    """What happened."""
    file: str | None = None
    """Which file below the results; null for the ledger's own beginning."""
    sha256: Sha256 | None = None
    """Of the file: as it ended, or as it was before it was discarded."""
    size: int | None = None
    """Its bytes, likewise."""
    work: Work | None = None
    """What it is made with."""
    detail: str = ""
    """Why, in words."""
    host: Host
    """What kind of machine."""
    previous: Sha256
    """The sha256 of the line before."""

    def line(self) -> bytes:
        """The entry as it stands in the file, without the line's end."""
        return self.model_dump_json().encode()


def read_lines(path: Path) -> list[bytes]:
    """The lines of a ledger, without their ends; raises DataError for one that is too large."""
    if path.stat().st_size > MAX_BYTES:
        raise DataError(f"{path}: larger than {MAX_BYTES} bytes; this is no ledger")
    return path.read_bytes().split(b"\n")[:-1]


def parse(line: bytes, where: str) -> Entry:
    """One line as an entry; raises DataError naming it."""
    try:
        return Entry.model_validate_json(line)
    except ValidationError as error:
        raise DataError(f"{where}: {describe(error)}") from None


def read_ledger(results: Path) -> list[Entry]:
    """The entries of a study's ledger, if it has one; raises DataError naming the line."""
    path = results / LEDGER
    lines = read_lines(path) if path.is_file() else []
    return [parse(line, f"{path}:{number}") for number, line in enumerate(lines, start=1)]


def attempts(entries: Sequence[Entry]) -> Iterator[str]:
    """One line per file: how often it was begun, stopped and given up."""
    counts: dict[str, Counter[str]] = {}
    for entry in entries:
        if entry.file is not None:
            counts.setdefault(entry.file, Counter())[entry.event] += 1
    for name, count in counts.items():
        begun = count["start"] + count["resume"]
        parts = [f"{begun} attempt{'s' if begun != 1 else ''}"]
        parts += [
            f"{count[event]} {word}"
            for event, word in (("resume", "resumed"), ("kill", "killed"), ("discard", "discarded"))
            if count[event]
        ]
        yield f"{name}: {', '.join(parts)}"


def line_sha256(line: bytes) -> str:
    """The hash that the next line holds of this one."""
    return hashlib.sha256(line).hexdigest()
