"""The reason why vLLM's engine process did not start, brought back to the process that waits.

vLLM then says only "Engine core initialization failed"; the cause stands in the log of its engine
or worker process. `collected` names a file in the environment; `note_errors`, called in each such
process as a plugin of vLLM, writes the errors that vLLM logs there into it.
"""

from __future__ import annotations

import logging
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

FILE: Final = "COT_ENTROPY_START_ERRORS"
MAX_BYTES: Final = 64 * 1024


@contextmanager
def collected() -> Iterator[Path]:
    """Collect what processes started in this block log as errors, in a file that ends with it."""
    with tempfile.TemporaryDirectory(prefix="cot-entropy-start-") as folder:
        path = Path(folder) / "errors.txt"
        os.environ[FILE] = str(path)
        try:
            yield path
        finally:
            del os.environ[FILE]


def note_errors() -> None:
    """Write every later error of vLLM's logger in this process to the file, if there is one."""
    path = os.environ.get(FILE)
    if path is not None:
        logging.getLogger("vllm").addHandler(_Causes(Path(path)))


def root_cause(path: Path) -> str:
    """The first exception that was noted, as `Type: message`; empty where none was."""
    if not path.is_file():
        return ""
    with path.open(encoding="utf-8", errors="replace") as stream:
        return next((line.strip() for line in stream.read(MAX_BYTES).splitlines() if line), "")


class _Causes(logging.Handler):
    """Append the innermost cause of each logged exception, one line each."""

    def __init__(self, path: Path) -> None:
        super().__init__(level=logging.ERROR)
        self._path = path

    def emit(self, record: logging.LogRecord) -> None:
        error = record.exc_info[1] if record.exc_info else None
        if error is None or not self._path.parent.is_dir():
            return
        while error.__cause__ is not None:
            error = error.__cause__
        line = " ".join(f"{type(error).__name__}: {error}".split())[:500]
        with self._path.open("a", encoding="utf-8") as stream:
            stream.write(line + "\n")
