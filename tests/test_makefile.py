"""`make` starts with whatever Python 3 there is, and says what is missing."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """What `make setup` reads first."""
    shutil.copy(ROOT / "Makefile", tmp_path)
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    shutil.copytree(ROOT / "requirements", tmp_path / "requirements")
    return tmp_path


def setup(checkout: Path, python: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["make", "--no-print-directory", "setup", f"PYTHON={python}"],
        cwd=checkout,
        env={**os.environ, "MAKEFLAGS": ""},
        capture_output=True,
        text=True,
        check=False,
    )


def test_no_python_is_one_line(checkout: Path) -> None:
    done = setup(checkout, "python3-that-is-not-there")
    assert done.returncode == 2
    assert "error: no python3-that-is-not-there; install Python 3" in done.stderr


def test_a_missing_venv_module_names_its_package(checkout: Path) -> None:
    """Debian and Ubuntu ship Python without it."""
    bare = checkout / "bare-python"
    bare.write_text('#!/bin/sh\ncase "$2" in *ensurepip*) exit 1;; esac\nexec python3 "$@"\n')
    bare.chmod(0o755)
    done = setup(checkout, str(bare))
    assert done.returncode == 2
    assert "apt install python3-venv" in done.stderr
