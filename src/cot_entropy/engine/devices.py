"""Which of a machine's GPUs a job takes, where nobody has chosen for it."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import IO, Final

from cot_entropy.base.errors import DeviceError
from cot_entropy.protocol.engine import EngineSettings

VISIBLE: Final = "CUDA_VISIBLE_DEVICES"
ORDER: Final = "CUDA_DEVICE_ORDER"


def gpu_files() -> list[Path]:
    """The device files of this machine's NVIDIA GPUs, in the order of their numbers."""
    found = (path for path in Path("/dev").glob("nvidia*") if path.name[6:].isdecimal())
    return sorted(found, key=lambda path: int(path.name[6:]))


@contextmanager
def held_devices(settings: EngineSettings, files: Sequence[Path] | None = None) -> Iterator[None]:
    """Hold as many GPUs as the engine takes and show CUDA no other, until the block ends.

    A hold is a lock on the device's file (those of this machine by default), so that jobs that run
    beside each other take different ones and a killed job leaves none. Nothing is held for a CPU
    or a stand-in, where CUDA_VISIBLE_DEVICES says what to take, or where there is no device file.
    Raises DeviceError if fewer are free. To be entered before anything starts CUDA.
    """
    paths = gpu_files() if files is None else files
    chosen_already = VISIBLE in os.environ
    if settings.device == "cpu" or settings.name == "scripted" or chosen_already or not paths:
        yield
        return
    with ExitStack() as held:
        taken: list[str] = []
        for index, path in enumerate(paths):
            if len(taken) < settings.tensor_parallel_size and _lock(path, held):
                taken.append(str(index))
        if len(taken) < settings.tensor_parallel_size:
            raise DeviceError(
                f"{len(taken)} of {len(paths)} GPUs are free and the engine takes "
                f"{settings.tensor_parallel_size} (engine.tensor_parallel_size): wait for other "
                f"jobs, or choose by {VISIBLE}"
            )
        # the numbers of the device files, not CUDA's own order by speed
        os.environ |= {VISIBLE: ",".join(taken), ORDER: "PCI_BUS_ID"}
        try:
            yield
        finally:
            del os.environ[VISIBLE], os.environ[ORDER]


def _lock(path: Path, held: ExitStack) -> bool:
    stream: IO[bytes] = path.open("rb", buffering=0)
    try:
        fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        stream.close()
        return False
    held.callback(stream.close)
    return True
