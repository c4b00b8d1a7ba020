"""Jobs beside each other on one machine take different GPUs; files stand in for devices."""

from __future__ import annotations

import fcntl
import os
import subprocess
import sys
from pathlib import Path

import pytest

from cot_entropy.base.errors import DeviceError
from cot_entropy.engine.devices import VISIBLE, held_devices
from cot_entropy.protocol.engine import EngineSettings


@pytest.fixture
def gpus(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    """Three devices, and nobody's choice among them."""
    monkeypatch.delenv(VISIBLE, raising=False)
    paths = [tmp_path / f"nvidia{number}" for number in range(3)]
    for path in paths:
        path.touch()
    return paths


def on_gpu(count: int = 1) -> EngineSettings:
    return EngineSettings(device="cuda", tensor_parallel_size=count)


def in_another_job(gpus: list[Path]) -> str:
    """What another process takes in the meantime."""
    code = (
        "import os, sys, pathlib\n"
        "from cot_entropy.engine.devices import held_devices\n"
        "from cot_entropy.protocol.engine import EngineSettings\n"
        "with held_devices(EngineSettings(device='cuda'), [*map(pathlib.Path, sys.argv[1:])]):\n"
        "    print(os.environ['CUDA_VISIBLE_DEVICES'])\n"
    )
    environment = {key: value for key, value in os.environ.items() if key != VISIBLE}
    done = subprocess.run(
        [sys.executable, "-c", code, *map(str, gpus)],
        env={**environment, "PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True,
        text=True,
        check=False,
    )
    return done.stdout.strip() or done.stderr.strip().splitlines()[-1]


def test_a_job_takes_the_first_gpu_and_another_the_next(gpus: list[Path]) -> None:
    with held_devices(on_gpu(), gpus):
        assert os.environ[VISIBLE] == "0"
        assert in_another_job(gpus) == "1"
    assert in_another_job(gpus) == "0"


def test_a_job_takes_as_many_as_hold_its_model(gpus: list[Path]) -> None:
    with held_devices(on_gpu(2), gpus):
        assert os.environ[VISIBLE] == "0,1"
        assert in_another_job(gpus) == "2"


def test_too_few_free_gpus_are_an_error_that_takes_none(gpus: list[Path]) -> None:
    with gpus[2].open() as held_elsewhere:
        fcntl.flock(held_elsewhere, fcntl.LOCK_EX)
        with (
            pytest.raises(DeviceError, match="2 of 3 GPUs are free and the engine takes 3"),
            held_devices(on_gpu(3), gpus),
        ):
            pass
        assert VISIBLE not in os.environ
        assert in_another_job(gpus) == "0"


def test_a_choice_that_was_made_is_kept(gpus: list[Path], monkeypatch: pytest.MonkeyPatch) -> None:
    """Slurm, or a person, has given this job device 2."""
    monkeypatch.setenv(VISIBLE, "2")
    with held_devices(on_gpu(), gpus):
        assert os.environ[VISIBLE] == "2"
        assert in_another_job(gpus) == "0"


@pytest.mark.parametrize(
    "settings", [EngineSettings(device="cpu"), EngineSettings(name="scripted", device="cuda")]
)
def test_what_needs_no_gpu_holds_none(gpus: list[Path], settings: EngineSettings) -> None:
    with held_devices(settings, gpus):
        assert VISIBLE not in os.environ
        assert in_another_job(gpus) == "0"
