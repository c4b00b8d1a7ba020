"""Checks of a GPU node before anything loads: its driver's CUDA release, and a C compiler."""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping

from cot_entropy.base.errors import DeviceError

COMPILERS = ("cc", "gcc", "clang")
"""Names that Triton looks for where CC is not set."""


def check_driver(driver_cuda: int, torch_cuda: str | None) -> None:
    """Raise DeviceError where the driver's CUDA is of an older major release than torch's.

    `driver_cuda` is NVML's number, 1000 times the major release plus 10 times the minor one
    (12080 is 12.8). Within a major release CUDA runs on older drivers (NVIDIA's minor version
    compatibility).
    """
    if torch_cuda is None or driver_cuda // 1000 >= int(torch_cuda.split(".")[0]):
        return
    has = f"{driver_cuda // 1000}.{driver_cuda % 1000 // 10}"
    raise DeviceError(
        f"the NVIDIA driver supports CUDA {has} and torch is built for CUDA {torch_cuda}: update "
        "the driver (CUDA 13 needs R580 or later), or see `An older driver` in "
        "docs/howto/run-the-study.md"
    )


def check_compiler(environment: Mapping[str, str] = os.environ) -> None:
    """Raise DeviceError where no C compiler is found; Triton builds its launchers with one."""
    named = environment.get("CC")
    wanted = (named,) if named else COMPILERS
    if any(shutil.which(name, path=environment.get("PATH", "")) for name in wanted):
        return
    found = f"CC={named} is not on PATH" if named else "none of cc, gcc, clang is on PATH"
    raise DeviceError(
        f"no C compiler ({found}); vLLM's Triton kernels need one at run time: install gcc, use "
        "the environment of environment.yml, which brings one, or set CC"
    )
