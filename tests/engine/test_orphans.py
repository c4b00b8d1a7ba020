"""Children of a killed process end with it; other processes are not touched."""

from __future__ import annotations

import subprocess
import sys
from importlib.metadata import entry_points
from pathlib import Path

import psutil
import pytest

from cot_entropy.engine.plugin import in_engine_process

STAGE = """
import multiprocessing, os, signal, sys, time
if sys.argv[2:]:
    import cot_entropy.cli
from cot_entropy.engine.orphans import adopt_children, end_with_stage

def rest():
    print(os.getpid(), flush=True)
    time.sleep(60)

def wait():
    end_with_stage()
    rest()

def deaf():
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    rest()

if __name__ == "__main__":
    adopt_children()
    context = multiprocessing.get_context(sys.argv[1])
    context.Process(target=TARGET).start()
    time.sleep(60)
"""
ALONE = """
import ctypes, os
from cot_entropy.engine.orphans import STAGE, end_with_stage
os.environ[STAGE] = "1"
end_with_stage()
number = ctypes.c_int(-1)
PR_GET_PDEATHSIG = 2
ctypes.CDLL(None).prctl(PR_GET_PDEATHSIG, ctypes.byref(number), 0, 0, 0)
print(number.value)
"""


@pytest.mark.parametrize(
    ("arguments", "target"),
    [(["fork"], "rest"), (["spawn"], "wait"), (["spawn", "cli"], "rest"), (["fork"], "deaf")],
)
def test_a_child_ends_with_a_killed_stage(
    tmp_path: Path, arguments: list[str], target: str
) -> None:
    """A forked one does nothing for it; a spawned one calls what vLLM loads as a plugin, or its
    stage is a script that imports the command line; one that does not heed SIGTERM is killed some
    seconds later."""
    path = tmp_path / "stage.py"
    path.write_text(STAGE.replace("TARGET", target))
    stage = subprocess.Popen([sys.executable, path, *arguments], stdout=subprocess.PIPE, text=True)
    assert stage.stdout is not None
    child = psutil.Process(int(stage.stdout.readline()))
    assert child.is_running()
    stage.kill()
    stage.communicate()
    _, alive = psutil.wait_procs([child], timeout=30)
    assert not [one for one in alive if one.status() != psutil.STATUS_ZOMBIE]


@pytest.mark.parametrize(
    "first",
    [
        "from cot_entropy.engine.orphans import end_with_stage; end_with_stage()",
        "import cot_entropy.cli",
    ],
)
def test_a_child_that_comes_too_late_ends_at_once(first: str) -> None:
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    code = f"import os; os.environ['COT_ENTROPY_STAGE_PID'] = '{ended.pid}'\n"
    code += f"{first}; print('on')"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (1, "")


def test_a_process_that_no_stage_started_is_left_alone() -> None:
    done = subprocess.run([sys.executable, "-c", ALONE], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "0"


def test_vllm_finds_the_plugin() -> None:
    """As `importlib.metadata` lists what vLLM loads in its engine process."""
    found = [one.load() for one in entry_points(group="vllm.general_plugins")]
    assert in_engine_process in found
