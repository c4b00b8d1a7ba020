"""Finished records on disk while a stage runs, so that a kill loses only what is in flight.

`<out>.partial` holds the header of the file to be, then one line per finished question in the
order in which they finished: `{"position": 3, "record": {...}}`, position counting from 0 in
dataset order. Where a later attempt fills the device in another way, `{"fill": {...}}` stands
before the first question that it finished. Each line is written and synced before the next question
is taken, and a torn last line is dropped. When all are there, the final file is written once, in
dataset order.
"""

from __future__ import annotations

import fcntl
import json
import logging
import os
from array import array
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Generic, Self, TypeVar

from cot_entropy.base.errors import DataError, StorageError, storage_error
from cot_entropy.base.files import dump_line
from cot_entropy.base.strict import Strict
from cot_entropy.formats.records import (
    ChainRecord,
    CompletionRecord,
    Header,
    parse_record,
    write_records,
)
from cot_entropy.protocol.engine import FILL, Fill

R = TypeVar("R", ChainRecord, CompletionRecord)

MISSING: Final = -1
FREE_TO_CHANGE: Final = frozenset({"other_fills", *(f"engine.settings.{name}" for name in FILL)})
"""Header keys that may differ between a run and its continuation: they change no token."""

log = logging.getLogger(__name__)


class _Line(Strict):
    """A finished question in a checkpoint."""

    position: int
    record: dict[str, Any]


class _Change(Strict):
    """How the device was filled when the questions after this line were finished."""

    fill: Fill


class Checkpoint(Generic[R]):
    """The finished records of one file; memory is eight bytes per question."""

    def __init__(self, out: Path, header: Header, kind: type[R], questions: int) -> None:
        """Open or continue `<out>.partial`.

        Raises DataError if it belongs to another setting (naming what differs) or is damaged
        before its last line, and StorageError if it cannot be written.
        """
        self.path = out.with_name(out.name + ".partial")
        self._out = out
        self._header = header
        self._kind: type[R] = kind
        self._offsets = array("q", [MISSING]) * questions
        self.questions = questions
        self._fill = header.engine.settings.fill
        self._noted = self._fill
        self._fills: dict[Fill, None] = {}
        self.continued = False
        """Whether an earlier run began the file."""
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self._file = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
        except OSError as error:
            raise storage_error(self.path, error) from None
        try:
            self._lock()
            self._end = self._recover()
        except BaseException:
            self.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Release the file; what is in it stays."""
        if self._file >= 0:
            os.close(self._file)
            self._file = -1

    @property
    def finished(self) -> int:
        """Questions that are on disk."""
        return len(self._offsets) - self._offsets.count(MISSING)

    def holds(self, position: int) -> bool:
        """Whether the question at this position is on disk."""
        if position >= len(self._offsets):
            raise DataError(f"{self._out}: more questions than its inputs' headers say")
        return self._offsets[position] != MISSING

    def append(self, position: int, record: R) -> None:
        """Put one finished question on disk; raises StorageError."""
        if self._noted != self._fill:
            self._append(dump_line(_Change(fill=self._fill).model_dump()))
            self._noted = self._fill
        self._finished_under(self._fill)
        line = dump_line(
            _Line(position=position, record=record.model_dump(mode="json")).model_dump()
        )
        start = self._end
        self._append(line)
        self._offsets[position] = start

    def finish(self) -> int:
        """Write the final file, in dataset order, and remove the partial one.

        Returns the number of records that hold an error.
        """
        failed = 0

        def records() -> Iterator[R]:
            nonlocal failed
            with self.path.open("rb") as stream:
                for offset in self._offsets:
                    if offset == MISSING:
                        raise DataError(
                            f"{self._out}: fewer questions than its inputs' headers say"
                        )
                    stream.seek(offset)
                    _, record = self._parse(stream.readline(), 0)
                    failed += record.error is not None
                    yield record

        try:
            ways = [*reversed(self._fills)] or [self._fill]
            write_records(self._out, self._header.filled(ways), records())
            self.path.unlink()
        except OSError as error:
            raise storage_error(self._out, error) from None
        return failed

    def _lock(self) -> None:
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise StorageError(
                f"{self.path}: another process is still writing it (left by a killed run?); stop "
                "that process, or wait for it, and run again"
            ) from None
        except OSError as error:
            raise StorageError(
                f"{self.path}: this file system has no file locks ({error.strerror}); let results/ "
                "be a link to one that has, such as a local disk, and run again"
            ) from None

    def _append(self, line: bytes) -> None:
        try:
            written = 0
            while written < len(line):
                written += os.pwrite(self._file, line[written:], self._end + written)
            os.fdatasync(self._file)
        except OSError as error:
            raise storage_error(self.path, error) from None
        self._end += len(line)

    def _recover(self) -> int:
        """Take in the whole lines that are there; returns the offset after the last of them."""
        self._end = 0
        refused = ""
        with os.fdopen(os.dup(self._file), "rb") as stream:
            stream.seek(0)
            for number, line in enumerate(stream, start=1):
                if not line.endswith(b"\n"):
                    log.warning("%s: last line torn by a kill; that question runs again", self.path)
                    break
                if number == 1:
                    refused = self._other_setting(line)
                elif refused:
                    raise DataError(refused)
                else:
                    self._take(line, number)
                self._end += len(line)
        self.continued = self._end > 0 and not refused
        if not self.finished:
            # a setting under which nothing was finished binds no later attempt
            self._end, self._noted = 0, self._fill
        os.ftruncate(self._file, self._end)
        if not self._end:
            self._append(dump_line(self._header.model_dump(mode="json")))
        return self._end

    def _take(self, line: bytes, number: int) -> None:
        """Take in one line after the header."""
        value = self._load(line, number)
        if "fill" in value:
            self._noted = parse_record(_Change, value, self.path, number).fill
            return
        position, _ = self._parse(line, number)
        self._offsets[position] = self._end
        self._finished_under(self._noted)

    def _finished_under(self, fill: Fill) -> None:
        self._fills.pop(fill, None)
        self._fills[fill] = None

    def _other_setting(self, line: bytes) -> str:
        """Why a checkpoint with this header cannot be continued; empty where it can."""
        header = self._load(line, 1)
        there = _flat(header)
        here = _flat(self._header.model_dump(mode="json"))
        keys = sorted(
            key
            for key in (there.keys() | here.keys()) - FREE_TO_CHANGE
            if there.get(key) != here.get(key)
        )
        if not keys:
            self._noted = parse_record(
                type(self._header), header, self.path, 1
            ).engine.settings.fill
            return ""
        shown = "; ".join(
            f"{key}: {there.get(key)!r} there, {here.get(key)!r} now" for key in keys[:3]
        )
        more = f" and {len(keys) - 3} more" if len(keys) > 3 else ""
        return (
            f"{self.path}: made with another setting ({shown}{more}); restore the setting to "
            "continue it, or delete the file to start over"
        )

    def _parse(self, line: bytes, number: int) -> tuple[int, R]:
        entry = parse_record(_Line, self._load(line, number), self.path, number)
        if not 0 <= entry.position < len(self._offsets):
            raise DataError(f"{self.path}:{number}: no such question; delete the file")
        return entry.position, parse_record(self._kind, entry.record, self.path, number)

    def _load(self, line: bytes, number: int) -> dict[str, Any]:
        try:
            value = json.loads(line.decode("utf-8", errors="surrogatepass"))
        except (ValueError, RecursionError):
            value = None
        if not isinstance(value, dict):
            raise DataError(f"{self.path}:{number}: damaged; delete the file to start over")
        return value


def _flat(value: dict[str, Any], prefix: str = "") -> dict[str, Any]:
    """Nested keys as dotted ones."""
    flat: dict[str, Any] = {}
    for key, item in value.items():
        if isinstance(item, dict):
            flat |= _flat(item, f"{prefix}{key}.")
        else:
            flat[prefix + key] = item
    return flat
