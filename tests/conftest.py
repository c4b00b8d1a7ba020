"""Fixtures shared by all tests."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.tiny_project import caught, pytest_terminal_summary, tiny, tiny_run

__all__ = ["caught", "pytest_terminal_summary", "tiny", "tiny_run"]

ROOT = Path(__file__).parents[1]


@pytest.fixture(scope="session")
def smollm2() -> Path:
    """The folder of SmolLM2-135M-Instruct, made once under the ignored `models/`."""
    from cot_entropy.model.bundled import prepare  # noqa: PLC0415

    return prepare("smollm2-135m", ROOT / "models" / "smollm2-135m")
