"""Writing the ledger: what a job notes before and after it makes a file, and what it finds gone.

One process at a time holds the file; a line is on disk before the job goes on.
"""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import IO

from cot_entropy.base.errors import DataError, storage_error
from cot_entropy.base.files import sha256_file
from cot_entropy.formats.attempts import host
from cot_entropy.formats.ledger import (
    FIRST,
    LEDGER,
    Entry,
    Event,
    Work,
    line_sha256,
    parse,
    read_lines,
)
from cot_entropy.formats.records import Header, read_header, read_shard_header


def results_of(out: Path, cell: str) -> Path | None:
    """The results folder that a file of a cell lies in; None where it lies in none."""
    return next((one for one in out.parents if out.is_relative_to(one / cell)), None)


@contextmanager
def noted(out: Path, work: Work) -> Iterator[None]:
    """Note in the study's ledger that a job makes `out`, and what becomes of it.

    What the ledger says of an earlier file or attempt of that name, and is no more, is noted first.
    Raises StorageError where the ledger cannot be written.
    """
    results = results_of(out, work.cell)
    if results is None:
        yield
        return
    name = out.relative_to(results).as_posix()
    unfinished = out.with_name(f"{out.name}.partial").is_file()
    with _opened(results) as ledger:
        ledger.settle(results, name, again=True)
        ledger.add("resume" if unfinished else "start", file=name, work=work)
    try:
        yield
    except BaseException as error:
        with _opened(results) as ledger:
            ledger.add("kill", file=name, work=work, detail=type(error).__name__)
        raise
    note_end(results, out, work)


def note_end(results: Path, out: Path, work: Work) -> None:
    """Note that a file is whole, with its hash and the device that its header names."""
    work = work.model_copy(update={"device": _header(out).engine.device})
    with _opened(results) as ledger:
        name = out.relative_to(results).as_posix()
        ledger.add("end", file=name, path=out, work=work)


def note_gathered(shards: Iterable[Path], out: Path, work: Work) -> None:
    """Note that a file was joined from its shards, which are removed."""
    results = results_of(out, work.cell)
    if results is None:
        return
    with _opened(results) as ledger:
        ledger.settle(results, out.relative_to(results).as_posix(), again=True)
        for shard in shards:
            ledger.add("gathered", file=shard.relative_to(results).as_posix())
    note_end(results, out, work)


def close(results: Path) -> str | None:
    """Note what has gone since it was made; returns the head, None where there is no ledger."""
    if not (results / LEDGER).is_file():
        return None
    with _opened(results) as ledger:
        for name in sorted(ledger.last):
            ledger.settle(results, name, again=False)
        return ledger.head


def begin(results: Path, freeze_sha256: str) -> bytes:
    """Begin a ledger before anything is generated, or take it up; returns its last line.

    The first entry names the freeze: published, its hash ties every later run to this ledger.
    """
    with _opened(results) as ledger:
        if not ledger.lines:
            ledger.add("begin", detail=f"freeze {freeze_sha256}")
        return ledger.lines[-1]


class _Ledger:
    """A ledger that is held open by one process at a time."""

    def __init__(self, path: Path, stream: IO[bytes]) -> None:
        self.path, self.stream = path, stream
        self.lines = read_lines(path)
        whole = sum(len(line) + 1 for line in self.lines)
        if whole < path.stat().st_size:  # a job was killed while it wrote: half a line says nothing
            stream.truncate(whole)
        self.entries = [
            parse(line, f"{path}:{number}") for number, line in enumerate(self.lines, start=1)
        ]
        self.last = {one.file: one for one in self.entries if one.file is not None}

    @property
    def head(self) -> str:
        return line_sha256(self.lines[-1]) if self.lines else FIRST

    def add(
        self,
        event: Event,
        *,
        file: str | None = None,
        path: Path | None = None,
        work: Work | None = None,
        detail: str = "",
        was: Entry | None = None,
    ) -> None:
        entry = Entry(
            number=len(self.lines) + 1,
            time=f"{datetime.now(UTC):%Y-%m-%dT%H:%M:%S.%fZ}",
            event=event,
            file=file,
            sha256=sha256_file(path) if path else was.sha256 if was else None,
            size=path.stat().st_size if path else was.size if was else None,
            work=work or (was.work if was else None),
            detail=detail,
            host=host(),
            previous=self.head,
        )
        line = entry.line()
        before = self.path.stat().st_size
        try:
            self.stream.write(line + b"\n")
            self.stream.flush()
            os.fsync(self.stream.fileno())
        except OSError as error:
            self.stream.truncate(before)
            raise storage_error(self.path, error) from None
        self.lines.append(line)
        self.entries.append(entry)
        if file is not None:
            self.last[file] = entry

    def settle(self, results: Path, name: str, *, again: bool) -> None:
        """Note what became of a file that the ledger left running, or whole, and is that no more.

        `again`: the file is about to be made, so that whatever is there is given up.
        """
        last = self.last.get(name)
        if last is None:
            return
        path = results / name
        unfinished = path.with_name(f"{path.name}.partial").is_file()
        if last.event in {"start", "resume"}:
            if not again and unfinished:
                return  # it may be running
            self.add("kill", file=name, detail="it noted no end", was=last)
            last = self.last[name]
        if last.event == "kill" and not unfinished and not path.is_file():
            if again:
                self.add("discard", file=name, detail="unfinished, and started over", was=last)
        elif last.event == "end" and (again or not _still(path, last)):
            why = "to be made again" if again else "replaced" if path.is_file() else "deleted"
            self.add("discard", file=name, detail=why, was=last)


def _header(path: Path) -> Header:
    try:
        return read_header(path)
    except DataError:  # a shard's header is none of a whole cell
        return read_shard_header(path)


def _still(path: Path, entry: Entry) -> bool:
    return path.is_file() and sha256_file(path) == entry.sha256


@contextmanager
def _opened(results: Path) -> Iterator[_Ledger]:
    path = results / LEDGER
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("ab", buffering=0) as stream:
            fcntl.flock(stream, fcntl.LOCK_EX)
            yield _Ledger(path, stream)
    except OSError as error:
        raise storage_error(path, error) from None
