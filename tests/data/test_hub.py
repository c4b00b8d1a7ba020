"""A hub that really cannot be reached: a closed port on this machine."""

import subprocess
import sys

import pytest

SCRIPT = """
from cot_entropy.data.hub import hub_rows
from cot_entropy.base.errors import DataError
try:
    next(hub_rows(path="openai/gsm8k", name="main", split="test", revision="0" * 40, where="w"))
except DataError as error:
    print(error)
"""


@pytest.mark.full
def test_a_closed_port_is_one_line_within_two_minutes(tmp_path) -> None:
    """The library's retries end by themselves; nothing but our line is printed."""
    environment = {"HF_ENDPOINT": "http://127.0.0.1:9", "HF_HOME": str(tmp_path)}
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT],
        env={"PYTHONPATH": ":".join(sys.path)} | environment,
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    )
    (line,) = done.stdout.splitlines()
    assert line.startswith("w: Couldn't reach 'openai/gsm8k' on the Hub")
    assert "HF_TOKEN" in line
    assert done.stderr == ""
