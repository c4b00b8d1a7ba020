"""When a generation stage ran, and on what kind of machine, noted beside its file.

`chains.attempts.jsonl` holds one line at each start and one at each end; a start without an end
was killed, and the next attempt continued it. No name of a machine or a person stands in it.
"""

from __future__ import annotations

import os
import platform
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from pydantic import ValidationError

from cot_entropy.base.errors import DataError, storage_error
from cot_entropy.base.files import read_jsonl
from cot_entropy.base.strict import Strict, describe
from cot_entropy.protocol.engine import Fill

ATTEMPTS: Final = ".attempts.jsonl"


class Host(Strict):
    """What kind of machine, never which."""

    system: str
    """Operating system and architecture, as `Linux x86_64`."""
    cores: int
    python: str


class Attempt(Strict):
    """One start of a generation stage; `ended` is null where it was killed."""

    started: str
    ended: str | None
    host: Host
    fill: Fill | None = None
    """How full the engine made the device; null where none ran."""


@contextmanager
def attempt(out: Path, fill: Fill | None = None) -> Iterator[None]:
    """Note start and end of a generation stage beside its file; a killed one has no end.

    Raises StorageError where the folder cannot be written.
    """
    path = _attempts_path(out)
    started = Attempt(started=_now(), ended=None, host=host(), fill=fill)
    _append(path, started)
    yield
    _append(path, started.model_copy(update={"ended": _now()}))


def read_attempts(generation: Path) -> list[Attempt]:
    """The attempts behind one generation file, oldest first; empty where none was noted."""
    path = _attempts_path(generation)
    if not path.is_file():
        return []
    found: dict[str, Attempt] = {}
    for number, value in read_jsonl(path):
        try:
            one = Attempt.model_validate(value)
        except ValidationError as error:
            raise DataError(f"{path}:{number}: {describe(error)}") from None
        found[one.started] = one
    return list(found.values())


def join_attempts(shards: Sequence[Path], *, out: Path) -> None:
    """Move the attempts at the shards of a file beside the whole file, in order of their starts."""
    noted = [one for path in shards for one in read_attempts(path)]
    for one in sorted(noted, key=lambda attempt: attempt.started):
        _append(_attempts_path(out), one)
    for path in shards:
        _attempts_path(path).unlink(missing_ok=True)


def host() -> Host:
    """The kind of machine that this process runs on."""
    return Host(
        system=f"{platform.system()} {platform.machine()}",
        cores=len(os.sched_getaffinity(0)),
        python=platform.python_version(),
    )


def _append(path: Path, one: Attempt) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("a", encoding="utf-8") as stream:
            stream.write(one.model_dump_json() + "\n")
    except OSError as error:
        raise storage_error(path, error) from None


def _attempts_path(generation: Path) -> Path:
    return generation.with_name(generation.name.split(".")[0] + ATTEMPTS)


def _now() -> str:
    return f"{datetime.now(UTC):%Y-%m-%dT%H:%M:%S.%fZ}"
