"""How far a stage is: questions or settings done, tokens per second, time left.

A bar on a terminal; elsewhere one log line every half minute.
"""

from __future__ import annotations

import logging
import sys
import time
from types import TracebackType
from typing import Final, Self

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

LOG_SECONDS: Final = 30.0

log = logging.getLogger(__name__)


class StageProgress:
    """Shows the progress of one stage while it is used as a context manager."""

    def __init__(self, title: str, *, done: int, total: int, unit: str = "questions") -> None:
        self._title = title
        self._unit = unit
        self._first = done
        self._total = total
        self._began = time.monotonic()
        self._logged = self._began
        self._bar: Progress | None = None
        if sys.stderr.isatty():
            self._bar = Progress(
                TextColumn("{task.description}"),
                BarColumn(),
                MofNCompleteColumn(),
                TextColumn("{task.fields[rate]}"),
                TimeRemainingColumn(elapsed_when_finished=True),
                console=Console(stderr=True),
            )
            self._task = self._bar.add_task(title, total=total, completed=done, rate="")

    def __enter__(self) -> Self:
        if self._bar is not None:
            self._bar.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._bar is not None:
            self._bar.stop()

    def update(self, *, done: int, tokens: int | None = None) -> None:
        """Show how many are done, and the tokens, if any, generated since the stage began here."""
        now = time.monotonic()
        rate = "" if tokens is None else f"{tokens / max(now - self._began, 1e-9):.0f} tokens/s, "
        if self._bar is not None:
            self._bar.update(self._task, completed=done, rate=rate.rstrip(", "))
        elif now - self._logged >= LOG_SECONDS:
            self._logged = now
            here = done - self._first
            left = (self._total - done) * (now - self._began) / here if here else None
            log.info(
                "%s: %d of %d %s, %s%s left",
                self._title,
                done,
                self._total,
                self._unit,
                rate,
                f"{left:.0f} s" if left is not None else "unknown time",
            )
