"""Stages that are killed and continued: nothing lost, nothing done twice, nothing changed.

Workers are forked from the test process, so that a kill costs no start-up and hits work.
"""

from __future__ import annotations

import json
import multiprocessing
import os
import random
import resource
import signal
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing.context import ForkProcess
from multiprocessing.synchronize import Event
from pathlib import Path

import pytest
from tests.generation import (
    chains_job,
    model_folder,
    probe_block,
    scripted_settings,
    write_manifest,
    write_questions,
)

from cot_entropy.base.errors import UserError
from cot_entropy.engine.scripted import Faults, ScriptedBackend
from cot_entropy.engine.stream import Engine
from cot_entropy.generate.chains import generate_chains
from cot_entropy.generate.completions import sample_completions
from cot_entropy.generate.prefixes import cut_prefixes
from cot_entropy.protocol.engine import EngineSettings
from cot_entropy.protocol.probe import CompletionsJob, PrefixesJob

QUESTIONS = 24
STEP_SECONDS = 0.02


def prepared(folder: Path) -> Path:
    folder.mkdir(parents=True)
    write_manifest(folder / "model.json", model_folder(folder / "model"))
    texts = [f"How many apples does Ann have on day {day}?" for day in range(QUESTIONS)]
    write_questions(folder / "questions.jsonl.zst", texts)
    return folder


def stage(folder: Path, name: str, seconds: float, loaded: Event | None = None) -> None:
    """Run one generation stage, each step of its engine taking so many seconds."""

    def engine(settings: EngineSettings, model: Path) -> Engine:
        if loaded is not None:
            loaded.set()
        faults = Faults(step_seconds=seconds)
        return Engine(lambda: ScriptedBackend(model, faults=faults), settings)

    if name == "chains":
        job = chains_job()
        generate_chains(
            job,
            model=folder / "model.json",
            questions=folder / "questions.jsonl.zst",
            out=folder / "chains.jsonl.zst",
            engine=engine,
        )
    else:
        job = CompletionsJob(probe=probe_block(), engine=scripted_settings(), code_digest="k")
        sample_completions(
            job,
            model=folder / "model.json",
            chains=folder / "chains.jsonl.zst",
            prefixes=folder / "prefixes.jsonl.zst",
            out=folder / "completions.jsonl.zst",
            engine=engine,
        )


def run(folder: Path, name: str) -> bytes:
    """Run a stage to its end here; the bytes of its file."""
    stage(folder, name, 0)
    return (folder / f"{name}.jsonl.zst").read_bytes()


def cut(folder: Path) -> None:
    job = PrefixesJob(probe=probe_block(), code_digest="p")
    cut_prefixes(job, chains=folder / "chains.jsonl.zst", out=folder / "prefixes.jsonl.zst")


def in_child(folder: Path, name: str, loaded: Event, largest_file: int | None = None) -> None:
    """What the child process does: as the command line, errors are one line and an exit code."""
    if largest_file is not None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (largest_file, resource.RLIM_INFINITY))
    with (folder / "stderr").open("w") as sys.stderr:
        try:
            stage(folder, name, STEP_SECONDS, loaded)
        except UserError as error:
            print(error, file=sys.stderr)
            sys.exit(error.exit_code)


@contextmanager
def worker(folder: Path, name: str, *, largest_file: int | None = None) -> Iterator[ForkProcess]:
    """A stage in a child process, about to start its engine; the child is gone at the end."""
    context = multiprocessing.get_context("fork")
    loaded = context.Event()
    process = context.Process(target=in_child, args=(folder, name, loaded, largest_file))
    process.start()
    try:
        assert loaded.wait(60), (folder / "stderr").read_text()
        yield process
    finally:
        process.kill()
        process.join()


def whole_lines(path: Path) -> list[bytes]:
    data = path.read_bytes() if path.exists() else b""
    return [line for line in data.splitlines(keepends=True) if line.endswith(b"\n")]


def await_lines(path: Path, count: int) -> None:
    deadline = time.monotonic() + 60
    while len(whole_lines(path)) < count:
        assert time.monotonic() < deadline, f"{path} never held {count} lines"
        time.sleep(0.005)


def kill_until_done(folder: Path, name: str, draw: random.Random) -> int:
    """Kill the stage at random moments until it gets through, checking after each kill that what
    was finished before is still there, once; returns the kills."""
    partial = folder / f"{name}.jsonl.zst.partial"
    kills = 0
    while not (folder / f"{name}.jsonl.zst").exists():
        before = whole_lines(partial)
        with worker(folder, name) as process:
            process.join(draw.uniform(0, 10 * STEP_SECONDS))
            process.kill()
            process.join()
            kills += process.exitcode == -signal.SIGKILL
        if partial.exists():
            after = whole_lines(partial)
            assert after[: len(before)] == before
            positions = [json.loads(line)["position"] for line in after[1:]]
            assert len(positions) == len(set(positions))
    return kills


def kills_that_change_nothing(folder: Path, seed: int) -> int:
    """One line of stages under kills, its files compared with those of an undisturbed one."""
    calm, killed = prepared(folder / "calm"), prepared(folder / "killed")
    draw = random.Random(seed)
    kills = 0
    for name in ("chains", "completions"):
        kills += kill_until_done(killed, name, draw)
        assert (killed / f"{name}.jsonl.zst").read_bytes() == run(calm, name)
        assert not (killed / f"{name}.jsonl.zst.partial").exists()
        if name == "chains":
            cut(calm)
            cut(killed)
    return kills


def test_kills_change_nothing(tmp_path: Path) -> None:
    """SIGKILL at random moments: the final files are those of undisturbed runs, byte for byte."""
    assert kills_that_change_nothing(tmp_path, seed=1) >= 5


@pytest.mark.full
def test_two_hundred_kills_change_nothing(tmp_path: Path) -> None:
    """The same, over as many runs as it takes for 200 kills."""
    kills = 0
    seed = 2
    while kills < 200:
        kills += kills_that_change_nothing(tmp_path / str(seed), seed)
        seed += 1


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_stop_signal_is_clean(tmp_path: Path, number: signal.Signals, code: int) -> None:
    """Ctrl-C and SIGTERM end the stage with one line and the shell's exit code; it continues."""
    calm, stopped = prepared(tmp_path / "calm"), prepared(tmp_path / "stopped")
    with worker(stopped, "chains") as process:
        await_lines(stopped / "chains.jsonl.zst.partial", 3)
        assert process.pid is not None
        os.kill(process.pid, number)
        process.join(30)
        assert process.exitcode == code
    errors = (stopped / "stderr").read_text().splitlines()
    assert errors == [
        f"{stopped}/chains.jsonl.zst: stopped by {number.name}; run the same command again to "
        "continue after the last finished question"
    ]
    assert run(stopped, "chains") == run(calm, "chains")


def test_a_full_disk_stops_the_stage_and_the_next_run_goes_on(tmp_path: Path) -> None:
    """No byte fits after the first 9,000: one line, exit code 4; then the undisturbed bytes."""
    calm, full = prepared(tmp_path / "calm"), prepared(tmp_path / "full")
    partial = full / "chains.jsonl.zst.partial"
    with worker(full, "chains", largest_file=9000) as process:
        process.join(60)
        assert process.exitcode == 4
    (message,) = (full / "stderr").read_text().splitlines()
    assert message.startswith(f"{partial}: cannot be written (")
    kept = whole_lines(partial)
    assert 1 < len(kept) <= QUESTIONS
    assert run(full, "chains") == run(calm, "chains")


def test_a_continued_run_counts_what_was_done(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """The log of a continuation says what it found, and only the rest is generated."""
    folder = prepared(tmp_path / "run")
    partial = folder / "chains.jsonl.zst.partial"
    with worker(folder, "chains") as process:
        await_lines(partial, 3)
        process.kill()
        process.join()
    found = len(whole_lines(partial)) - 1
    run(folder, "chains")
    assert f"continuing, {found} of {QUESTIONS} questions are done" in caplog.text
