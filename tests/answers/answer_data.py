"""The real benchmark files beside the project; tests that need them are skipped without them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

SHARED = Path(__file__).parents[2].parent / "shared"


def rows(name: str) -> list[dict[str, Any]]:
    path = SHARED / name
    if not path.exists():
        pytest.skip(f"../shared/{name} is not beside the project")
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
