"""No engine process outlives the stage that started it, however the stage ends.

vLLM's engine process waits for its next request for ever when the process that asks is killed. It
is the stage's child, forked or spawned. A forked one runs what is registered here; a spawned one
imports its stage's main script first, so `cot_entropy.cli` calls this module. One whose stage is
no script, such as a notebook, loads it later, as a plugin of vLLM (`vllm.general_plugins` in
pyproject.toml). vLLM's own worker processes end with the engine process.
"""

from __future__ import annotations

import os
import signal
import threading
import time
from pathlib import Path
from typing import Final

from cot_entropy.base.stopping import stop_with_parent

STAGE: Final = "COT_ENTROPY_STAGE_PID"
"""The process whose children are to end with it; no other vLLM on this machine is touched."""
GRACE_S: Final = 15.0
"""For the engine process to free what it shares; one that is still starting never does."""


def adopt_children() -> None:
    """Have every later child of this process stopped when this process dies."""
    if os.environ.get(STAGE) != str(os.getpid()):
        os.environ[STAGE] = str(os.getpid())
        os.register_at_fork(after_in_child=end_with_stage)


def end_with_stage() -> None:
    """In a child of the stage: have the kernel send it SIGTERM with the stage's end.

    vLLM's engine process then frees the memory that it shares with its workers; it is killed
    `GRACE_S` later. A child whose stage has died already ends at once; any other process goes on.
    """
    stage = os.environ.get(STAGE)
    if stage is None:
        return
    if stage == str(os.getppid()):
        stop_with_parent()
        threading.Thread(target=_kill_after, args=(os.getppid(),), daemon=True).start()
    if not _lives(stage):
        os._exit(1)


def _lives(process: str) -> bool:
    try:
        state = Path(f"/proc/{process}/stat").read_text(encoding="utf-8").rpartition(") ")[2]
    except OSError:
        return False
    return not state.startswith(("Z", "X"))


def _kill_after(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(1)
    time.sleep(GRACE_S)
    os.kill(os.getpid(), signal.SIGKILL)
