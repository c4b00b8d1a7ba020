"""Snakemake killed in the middle of a generation, and started again."""

from __future__ import annotations

import json
import os
import random
import signal
import time
from pathlib import Path

import pytest
from tests.killing import await_end, await_lines, run, session, snakemake, whole_lines
from tests.workflow.conftest import question_rows, tiny_project

from cot_entropy.base.files import sha256_file

QUESTIONS = 400
"""Enough that the scripted engine, which is instant, is some seconds at work."""
CHAINS = "results/tiny/tiny/sums/registered/chains.jsonl.zst"
COMPLETIONS = "results/tiny/tiny/sums/registered/registered/completions.jsonl.zst"
TARGET = ("--", COMPLETIONS)


def long_project(folder: Path) -> Path:
    """One cell of many questions; its folder."""
    folder.mkdir()
    made = tiny_project(folder)
    values = made.read()
    path = folder / "sums.jsonl"
    path.write_text(question_rows(QUESTIONS))
    values["datasets"] = {"sums": {**values["datasets"]["sums"], "sha256": sha256_file(path)}}
    made.write(values)
    return folder


@pytest.fixture(scope="module")
def calm(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The run that nobody disturbed."""
    folder = long_project(tmp_path_factory.mktemp("runs") / "calm")
    run(folder, *TARGET)
    return folder


def assert_same_files(one: Path, other: Path) -> None:
    for name in (CHAINS, COMPLETIONS):
        assert (one / name).read_bytes() == (other / name).read_bytes(), name


def test_a_killed_snakemake_leaves_no_worker_and_continues(calm: Path, tmp_path: Path) -> None:
    """SIGKILL of Snakemake alone: its worker stops by itself, and the README's lines go on after
    the last finished question, to the bytes of an undisturbed run."""
    folder = long_project(tmp_path / "killed")
    partial = folder / f"{CHAINS}.partial"
    with snakemake(folder, *TARGET) as process:
        await_lines(process, partial, 20)
        process.kill()
        await_end(process)
    kept = whole_lines(partial)
    assert len(kept) >= 20
    run(folder, "--unlock")
    run(folder, *TARGET)
    assert_same_files(folder, calm)
    assert summary(folder)["attempts"] == 2
    assert summary(folder)["questions_resumed"] >= len(kept) - 1


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_stopped_snakemake_can_go_on(calm: Path, tmp_path: Path, number: signal.Signals) -> None:
    """Ctrl-C reaches the whole process group, a scheduler's SIGTERM Snakemake alone."""
    folder = long_project(tmp_path / "stopped")
    partial = folder / f"{CHAINS}.partial"
    with snakemake(folder, *TARGET) as process:
        await_lines(process, partial, 20)
        if number == signal.SIGINT:
            os.killpg(process.pid, number)
        else:
            process.send_signal(number)
        await_end(process)
    run(folder, "--unlock")
    run(folder, *TARGET)
    assert_same_files(folder, calm)
    assert summary(folder)["generated_tokens"] >= summary(calm)["generated_tokens"]


def summary(folder: Path) -> dict[str, int]:
    """What the chains of a run took, all attempts together."""
    values: dict[str, int] = json.loads(
        (folder / CHAINS.replace("jsonl.zst", "run.json")).read_text()
    )
    return values


@pytest.mark.full
def test_snakemake_and_workers_killed_at_random_moments(calm: Path, tmp_path: Path) -> None:
    """Twelve kills over one run, of Snakemake or of the worker: the files of an undisturbed one."""
    folder = long_project(tmp_path / "killed")
    draw = random.Random(3)
    kept: dict[str, list[bytes]] = {CHAINS: [], COMPLETIONS: []}
    kills = 0
    while kills < 12:
        with snakemake(folder, *TARGET) as process:
            time.sleep(draw.uniform(2, 8))
            workers = [one for one in session(process.pid) if one.pid != process.pid]
            if process.poll() is None:
                draw.choice([process, *workers]).kill()
                kills += 1
            await_end(process)
        for name, before in kept.items():
            path = folder / f"{name}.partial"
            if path.exists():
                kept[name] = whole_lines(path)
                assert kept[name][: len(before)] == before, name
        run(folder, "--unlock")
        if (folder / COMPLETIONS).exists():
            break
    run(folder, *TARGET)
    print(f"{kills} kills")
    assert_same_files(folder, calm)
