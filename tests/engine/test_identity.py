"""What headers say about what computed the tokens."""

from __future__ import annotations

import os
import socket
from importlib.metadata import packages_distributions, version

import pytest
from tests.generation import scripted_settings

from cot_entropy.engine.identity import engine_identity
from cot_entropy.protocol.engine import EngineSettings


def test_scripted_engine_cannot_pass_for_a_model() -> None:
    """Name and device say that nothing was computed."""
    identity = engine_identity(scripted_settings())
    assert (identity.name, identity.device) == ("scripted", "none")


def test_versions_are_those_installed() -> None:
    """Versions come from the installed packages, not from the code."""
    identity = engine_identity(EngineSettings(device="cpu"))
    assert identity.name == "vllm"
    assert identity.torch == version("torch")
    assert identity.transformers == version("transformers")
    (package,) = packages_distributions()["vllm"]
    assert identity.version == version(package)


def test_a_cpu_is_named_with_its_cores() -> None:
    """The model and the number of cores can change how sums are rounded; the host's name cannot."""
    device = engine_identity(EngineSettings(device="cpu")).device
    assert device.endswith(f", {len(os.sched_getaffinity(0))} cores")
    assert socket.gethostname() not in device


def test_no_driver_and_no_cuda_stand_for_a_cpu() -> None:
    """The package index's torch is the CUDA build on a CPU too: its CUDA computed nothing."""
    identity = engine_identity(EngineSettings(device="cpu"))
    assert (identity.driver, identity.cuda) == (None, None)


def test_a_gpu_is_named_with_its_driver_and_cuda(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each from the library that knows it; a mock, as no GPU stands in every machine."""
    closed: list[str] = []
    monkeypatch.setattr("cot_entropy.engine.vllm.check_device", lambda settings: None)
    monkeypatch.setattr("torch.version.cuda", "12.9")
    monkeypatch.setattr("vllm.platforms.current_platform.get_device_name", lambda: "NVIDIA A40")
    monkeypatch.setattr("vllm.third_party.pynvml.nvmlInit", lambda: None)
    monkeypatch.setattr("vllm.third_party.pynvml.nvmlShutdown", lambda: closed.append("closed"))
    monkeypatch.setattr("vllm.third_party.pynvml.nvmlSystemGetDriverVersion", lambda: "580.65.06")
    identity = engine_identity(EngineSettings(device="cuda"))
    assert (identity.device, identity.driver, identity.cuda) == ("NVIDIA A40", "580.65.06", "12.9")
    assert closed == ["closed"]
