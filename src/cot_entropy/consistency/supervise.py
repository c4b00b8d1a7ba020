"""Run a command as long as standard input stays open: `python -m ... COMMAND...`.

Whoever starts this holds the other end of a pipe. When that end closes, because it was closed or
because its process died in whatever way, the command and every process of its session are ended.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Sequence
from types import FrameType
from typing import NoReturn

STOP_SECONDS = 20.0


def main(command: Sequence[str]) -> int:
    """The command's exit status; negative where a signal ended it."""
    process = subprocess.Popen(command, stdin=subprocess.DEVNULL, start_new_session=True)  # noqa: S603  # the caller's own command, no shell

    def terminated(_signal: int, _frame: FrameType | None) -> NoReturn:
        end_session(process)
        raise SystemExit(128 + signal.SIGTERM)

    signal.signal(signal.SIGTERM, terminated)
    signal.signal(signal.SIGINT, signal.SIG_IGN)

    def watch() -> None:
        # the raw descriptor: a buffered read would hold its lock when the interpreter ends
        while os.read(sys.stdin.fileno(), 4096):
            pass
        end_session(process)

    threading.Thread(target=watch, daemon=True).start()
    status = process.wait()
    end_session(process)
    return status


def end_session(process: subprocess.Popen[bytes]) -> None:
    """End a session leader and all it started: first by asking, then by force."""
    _signal_group(process.pid, signal.SIGTERM)
    try:
        process.wait(STOP_SECONDS)
    except subprocess.TimeoutExpired:
        pass
    finally:
        _signal_group(process.pid, signal.SIGKILL)


def _signal_group(group: int, sign: signal.Signals) -> None:
    try:
        os.killpg(group, sign)
    except ProcessLookupError:
        return


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
