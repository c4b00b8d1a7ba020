"""What another process logged when its engine did not start is what the user reads."""

import subprocess
import sys
from pathlib import Path

import pytest

from cot_entropy.base.errors import DeviceError, ModelError
from cot_entropy.engine.start_errors import collected, root_cause
from cot_entropy.engine.vllm import start_error
from cot_entropy.protocol.engine import EngineSettings

CHILD = """
import logging
from cot_entropy.engine.plugin import in_engine_process
in_engine_process()
try:
    try:
        raise {inner}
    except Exception as error:
        raise RuntimeError("worker failed") from error
except RuntimeError:
    logging.getLogger("vllm.v1.engine.core").exception("EngineCore failed to start.")
"""
VAGUE = RuntimeError("Engine core initialization failed. See root cause above.")
ON_GPU = EngineSettings(device="cuda")


def cause_of(inner: str) -> str:
    with collected() as path:
        subprocess.run([sys.executable, "-c", CHILD.format(inner=inner)], check=True)
        return root_cause(path)


def test_the_innermost_cause_comes_back_from_the_other_process() -> None:
    inner = 'ValueError("No available memory for the cache blocks")'
    assert cause_of(inner) == "ValueError: No available memory for the cache blocks"


def test_a_process_that_starts_leaves_nothing() -> None:
    with collected() as path:
        assert root_cause(path) == ""
    assert not path.parent.exists()


@pytest.mark.parametrize(
    ("cause", "kind", "words"),
    [
        ("OutOfMemoryError: CUDA out of memory", DeviceError, "lower engine.memory_share"),
        ("RuntimeError: Failed to find C compiler", DeviceError, "install a C compiler"),
        ("RuntimeError: Could not find nvcc", DeviceError, "install a C compiler"),
        ("SafetensorError: HeaderTooLarge", ModelError, "fetch it again"),
        ("FileNotFoundError: model-00002-of-2.safetensors", ModelError, "fetch it again"),
        ("ValueError: bfloat16 is not supported", DeviceError, "engine.dtype"),
    ],
)
def test_each_cause_has_its_own_way_out(
    cause: str, kind: type[Exception], words: str, tmp_path: Path
) -> None:
    """vLLM's own error says none of this."""
    error = start_error(VAGUE, ON_GPU, tmp_path, cause)
    assert isinstance(error, kind)
    assert cause in str(error)
    assert words in str(error)
