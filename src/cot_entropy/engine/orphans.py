"""No engine process outlives the stage that started it, however the stage ends.

vLLM's engine process waits for its next request for ever when the process that asks is killed. It
is the stage's child, forked or spawned: a forked one runs what is registered here, a spawned one
loads this module as a plugin of vLLM (`vllm.general_plugins` in pyproject.toml). vLLM's own worker
processes end with the engine process.
"""

from __future__ import annotations

import os
from typing import Final

from cot_entropy.stopping import stop_with_parent

STAGE: Final = "COT_ENTROPY_STAGE_PID"
"""The process whose children are to end with it; no other vLLM on this machine is touched."""


def adopt_children() -> None:
    """Have every later child of this process stopped when this process dies."""
    if os.environ.get(STAGE) != str(os.getpid()):
        os.environ[STAGE] = str(os.getpid())
        os.register_at_fork(after_in_child=end_with_stage)


def end_with_stage() -> None:
    """In a child of the stage: have the kernel send it SIGTERM with the stage's end.

    vLLM's engine process then frees the memory that it shares with its workers. A child whose stage
    has died already ends at once; any other process goes on.
    """
    stage = os.environ.get(STAGE)
    if stage is None:
        return
    if stage == str(os.getppid()):
        stop_with_parent()
    try:
        os.kill(int(stage), 0)
    except ProcessLookupError:
        os._exit(1)
