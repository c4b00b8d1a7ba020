"""What headers say about what computed the tokens."""

from __future__ import annotations

import os
import socket
from importlib.metadata import packages_distributions, version

from cot_entropy.engine.identity import engine_identity
from cot_entropy.engine.settings import EngineSettings
from generation import scripted_settings


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
