"""Open the engine that the settings name: vLLM, or a script for unit tests."""

from __future__ import annotations

from pathlib import Path

from cot_entropy.engine.base import BackendFactory
from cot_entropy.engine.stream import Engine
from cot_entropy.protocol.engine import EngineSettings


def open_engine(settings: EngineSettings, folder: Path) -> Engine:
    """The engine that the settings name, on the model in `folder`; it starts on first use.

    Raises DeviceError if the device is absent, too small, or lacks what the settings ask for.
    """
    return Engine(_factory(settings, folder), settings)


def _factory(settings: EngineSettings, folder: Path) -> BackendFactory:
    if settings.name == "scripted":
        from cot_entropy.engine.scripted import ScriptedBackend  # noqa: PLC0415

        return lambda: ScriptedBackend(folder)
    from cot_entropy.engine.vllm import VllmBackend, check_device  # noqa: PLC0415

    check_device(settings)
    return lambda: VllmBackend(settings, folder)
