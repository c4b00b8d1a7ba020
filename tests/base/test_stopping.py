"""A stage does not outlive what started it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from cot_entropy.base.stopping import StoppedError, stop_signals

SOURCE = Path(__file__).parents[2] / "src"
STAGE = """
import sys, time
from pathlib import Path
from cot_entropy.base.stopping import StoppedError, stop_signals, stop_with_parent
stop_with_parent()
try:
    with stop_signals(Path("out")):
        print("working", flush=True)
        time.sleep(60)
except StoppedError as error:
    Path(sys.argv[1]).write_text(str(error))
"""
PARENT = """
import subprocess, sys, time
subprocess.Popen([sys.executable, "-c", sys.argv[1], sys.argv[2]])
time.sleep(60)
"""


def test_a_stage_whose_parent_is_killed_stops_cleanly(tmp_path: Path) -> None:
    """SIGKILL of the parent is SIGTERM for the stage: it can say that it may be continued."""
    note = tmp_path / "note"
    parent = subprocess.Popen(
        [sys.executable, "-c", PARENT, STAGE, str(note)],
        stdout=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": str(SOURCE)},
    )
    assert parent.stdout is not None
    assert parent.stdout.readline() == b"working\n"
    parent.kill()
    assert parent.stdout.read() == b""  # ends when the stage, which holds the pipe, has ended
    parent.wait()
    assert note.read_text().startswith("out: stopped by SIGTERM; run the same command again")


def test_handlers_are_given_back() -> None:
    """After a stage, signals do again what they did before."""
    before = [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)]
    with pytest.raises(StoppedError), stop_signals(Path("out")):
        signal.raise_signal(signal.SIGTERM)
    after = [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)]
    assert after == before
