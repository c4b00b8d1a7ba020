"""How a generation stage ends early: told to, or because what started it has died."""

from __future__ import annotations

import ctypes
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Final

from cot_entropy.base.errors import UserError

PR_SET_PDEATHSIG: Final = 1


class StoppedError(UserError):
    """The stage was told to stop (Ctrl-C or SIGTERM); it can be continued."""


class _Stop(BaseException):
    """Raised by the signal handler; no Exception, so that no library's handler swallows it."""

    def __init__(self, number: int) -> None:
        self.number = number


def stop_with_parent() -> None:
    """Have the kernel send SIGTERM to this process when its parent dies (prctl(2)).

    So a killed Snakemake leaves no stage behind that holds the device and the checkpoint.
    """
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, int(signal.SIGTERM), 0, 0, 0)


@contextmanager
def stop_signals(out: Path) -> Iterator[None]:
    """Turn the first SIGINT or SIGTERM into a clean stop; a second one has its usual effect."""
    numbers = (signal.SIGINT, signal.SIGTERM)
    previous = {number: signal.getsignal(number) for number in numbers}

    def stop(number: int, _frame: FrameType | None) -> None:
        for each in numbers:
            signal.signal(each, previous[each])
        raise _Stop(number)

    for number in numbers:
        signal.signal(number, stop)
    try:
        yield
    except _Stop as reason:
        error = StoppedError(
            f"{out}: stopped by {signal.Signals(reason.number).name}; run the same command again "
            "to continue after the last finished question"
        )
        error.exit_code = 128 + reason.number
        raise error from None
    finally:
        for number in numbers:
            signal.signal(number, previous[number])
