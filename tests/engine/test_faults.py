"""The real engine under faults: what becomes of its processes, and of what was finished."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psutil
import pytest

from cot_entropy.records import ChainRecord, read_records
from generation import write_manifest, write_questions

pytestmark = [pytest.mark.engine, pytest.mark.full]

TESTS = Path(__file__).parents[1]
QUESTIONS = 60
RUN = """
import logging
import sys
from pathlib import Path

from engine.test_vllm import settings
from generation import chain_block

from cot_entropy.chains import generate_chains
from cot_entropy.errors import UserError
from cot_entropy.protocol.chain import ChainsJob

folder = Path(sys.argv[1])
try:
    print(generate_chains(
        ChainsJob(
            cell="smollm2/tiny",
            study_seed=1,
            chain=chain_block(budget=200),
            engine=settings(in_process=sys.argv[2] == "in_process", max_num_seqs=4),
            code_digest="c",
        ),
        model=folder / "model.json",
        questions=folder / "questions.jsonl.zst",
        out=folder / "chains.jsonl.zst",
    ).model_dump_json())
except UserError as error:
    print(error, file=sys.stderr)
    sys.exit(error.exit_code)
"""


@pytest.fixture
def folder(smollm2: Path, tmp_path: Path) -> Path:
    write_manifest(tmp_path / "model.json", smollm2)
    texts = [f"Ann has {n} apples and buys {n + 2} more. How many?" for n in range(QUESTIONS)]
    write_questions(tmp_path / "questions.jsonl.zst", texts)
    return tmp_path


@contextmanager
def worker(folder: Path, mode: str = "child_processes") -> Iterator[subprocess.Popen[str]]:
    """A stage in a process of its own; the engine in it, or in child processes."""
    with (folder / "stderr").open("w") as errors:
        process = subprocess.Popen(
            [sys.executable, "-c", RUN, str(folder), mode],
            stdout=subprocess.PIPE,
            stderr=errors,
            text=True,
            env={**os.environ, "PYTHONPATH": f"{TESTS.parent / 'src'}:{TESTS}"},
        )
    children = []
    try:
        yield process
    finally:
        if process.poll() is None:
            children = psutil.Process(process.pid).children(recursive=True)
        process.kill()
        for child in children:
            child.kill()
        process.communicate()


def await_questions(folder: Path, process: subprocess.Popen[str], count: int) -> list[bytes]:
    """Wait until so many questions are on disk; their lines."""
    path = folder / "chains.jsonl.zst.partial"
    deadline = time.monotonic() + 900
    while time.monotonic() < deadline:
        assert process.poll() is None, (folder / "stderr").read_text()
        lines = path.read_bytes().splitlines(keepends=True) if path.exists() else []
        whole = [line for line in lines if line.endswith(b"\n")]
        if len(whole) > count:
            return whole
        time.sleep(0.1)
    raise AssertionError("no question finished in time")


def engine_processes(process: subprocess.Popen[str]) -> list[psutil.Process]:
    return psutil.Process(process.pid).children(recursive=True)


def assert_gone(processes: list[psutil.Process]) -> None:
    """No process of the engine outlives its worker for long."""
    assert processes
    _, alive = psutil.wait_procs(processes, timeout=60)
    assert not [one for one in alive if one.status() != psutil.STATUS_ZOMBIE]


def finish(folder: Path, process: subprocess.Popen[str]) -> dict[str, object]:
    output, _ = process.communicate(timeout=1800)
    assert process.returncode == 0, (folder / "stderr").read_text()
    summary: dict[str, object] = json.loads(output.splitlines()[-1])
    return summary


def assert_kept(folder: Path, before: list[bytes]) -> None:
    """The final file has every question once, and what was finished before as it was."""
    records = list(read_records(folder / "chains.jsonl.zst", ChainRecord))
    assert [one.question_id for one in records] == [f"q{index}" for index in range(QUESTIONS)]
    for line in before[1:]:
        entry = json.loads(line)
        assert records[entry["position"]].model_dump(mode="json") == entry["record"]


def test_a_killed_engine_is_restarted(folder: Path) -> None:
    """SIGKILL of the engine's process: it is started once more, and nothing is lost."""
    with worker(folder) as process:
        before = await_questions(folder, process, 2)
        killed = engine_processes(process)
        for one in killed:
            one.kill()
        summary = finish(folder, process)
    assert summary["restarts"] == 1
    assert_kept(folder, before)


def test_a_killed_worker_leaves_no_engine_and_continues(folder: Path) -> None:
    """SIGKILL of the worker: the engine's process ends by itself; the next run goes on."""
    with worker(folder) as process:
        before = await_questions(folder, process, 2)
        engine = engine_processes(process)
        process.kill()
        assert_gone(engine)
    with worker(folder) as process:
        summary = finish(folder, process)
    resumed = summary["questions_resumed"]
    assert isinstance(resumed, int)
    assert resumed >= len(before) - 1
    assert_kept(folder, before)


@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, 143), (signal.SIGINT, 130)])
def test_a_stop_signal_leaves_no_engine(folder: Path, number: signal.Signals, code: int) -> None:
    """SIGTERM and Ctrl-C: one line, the shell's exit code, and the device is free."""
    with worker(folder) as process:
        await_questions(folder, process, 1)
        engine = engine_processes(process)
        process.send_signal(number)
        process.communicate(timeout=120)
        assert process.returncode == code
        assert_gone(engine)
    assert "stopped by" in (folder / "stderr").read_text().splitlines()[-1]


def test_twenty_kills_lose_nothing(folder: Path) -> None:
    """SIGKILL each time something more is on disk: every question once, none changed later."""
    kept: list[bytes] = []
    for kills in range(20):
        with worker(folder, "in_process") as process:
            found = await_questions(folder, process, max(len(kept) - 1, 0))
            process.kill()
        assert found[: len(kept)] == kept, kills
        kept = found
    with worker(folder, "in_process") as process:
        summary = finish(folder, process)
    resumed = summary["questions_resumed"]
    assert isinstance(resumed, int)
    assert resumed >= len(kept) - 1
    assert_kept(folder, kept)
