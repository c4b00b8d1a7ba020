"""Snakemake killed in the middle of a generation, and started again."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psutil
import pytest
from tests.workflow.conftest import BIN, ROOT, Project, question_rows, tiny_project

from cot_entropy.files import sha256_file

QUESTIONS = 1500
"""Enough that the scripted engine, which is instant, is some seconds at work."""
CHAINS = "tiny/sums/registered/chains.jsonl.zst"
COMPLETIONS = "tiny/sums/registered/registered/completions.jsonl.zst"
TARGET = f"results/tiny/{COMPLETIONS}"


def long_project(folder: Path) -> Project:
    """One cell of many questions."""
    made = tiny_project(folder)
    values = made.read()
    path = folder / "sums.jsonl"
    path.write_text(question_rows(QUESTIONS))
    values["datasets"] = {"sums": {**values["datasets"]["sums"], "sha256": sha256_file(path)}}
    made.write(values)
    return made


def command(project: Project) -> list[str]:
    return [
        str(BIN / "snakemake"),
        "--snakefile", str(ROOT / "Snakefile"),
        "--directory", str(project.folder),
        "--profile", str(ROOT / "profiles/default"),
        "--cores", "2",
        "--configfile", str(project.folder / "study.yaml"),
        "--", TARGET,
    ]  # fmt: skip


@contextmanager
def snakemake(project: Project) -> Iterator[subprocess.Popen[bytes]]:
    """Snakemake at work in a process group of its own; no process of it is left at the end."""
    process = subprocess.Popen(
        command(project),
        cwd=project.folder,
        env={**os.environ, "PATH": f"{BIN}{os.pathsep}{os.environ['PATH']}"},
        stdout=(project.folder / "stdout").open("wb"),
        stderr=subprocess.STDOUT,
        start_new_session=True,
    )
    try:
        yield process
    finally:
        for one in group(process.pid):
            one.kill()
        process.wait()


def group(number: int) -> list[psutil.Process]:
    """The living processes of a process group."""
    found = []
    for one in psutil.process_iter():
        try:
            if os.getpgid(one.pid) == number and one.status() != psutil.STATUS_ZOMBIE:
                found.append(one)
        except (ProcessLookupError, psutil.NoSuchProcess):
            continue
    return found


def whole_lines(path: Path) -> list[bytes]:
    data = path.read_bytes() if path.exists() else b""
    return [line for line in data.splitlines(keepends=True) if line.endswith(b"\n")]


def await_lines(process: subprocess.Popen[bytes], path: Path, count: int) -> None:
    deadline = time.monotonic() + 120
    while len(whole_lines(path)) < count:
        assert process.poll() is None, path
        assert time.monotonic() < deadline, f"{path} never held {count} lines"
        time.sleep(0.01)


def await_end(number: int) -> None:
    """Every process of the group ends by itself."""
    deadline = time.monotonic() + 60
    while group(number):
        assert time.monotonic() < deadline, [one.cmdline() for one in group(number)]
        time.sleep(0.05)


@pytest.fixture(scope="module")
def calm(tmp_path_factory: pytest.TempPathFactory) -> Project:
    """The run that nobody disturbed."""
    made = long_project(tmp_path_factory.mktemp("calm"))
    made.snakemake("--", TARGET)
    return made


def assert_same_files(one: Project, other: Project) -> None:
    for name in (CHAINS, COMPLETIONS):
        assert (one.results / name).read_bytes() == (other.results / name).read_bytes(), name


def test_a_killed_snakemake_leaves_no_worker_and_continues(calm: Project, tmp_path: Path) -> None:
    """SIGKILL of Snakemake alone: its worker stops by itself, and the README's lines go on after
    the last finished question, to the bytes of an undisturbed run."""
    project = long_project(tmp_path / "killed")
    partial = project.results / f"{CHAINS}.partial"
    with snakemake(project) as process:
        await_lines(process, partial, 20)
        process.kill()
        await_end(process.pid)
    kept = whole_lines(partial)
    assert len(kept) >= 20
    project.snakemake("--unlock")
    project.snakemake("--", TARGET)
    assert_same_files(project, calm)
    summary = json.loads((project.results / CHAINS.replace("jsonl.zst", "run.json")).read_text())
    assert summary["attempts"] == 2
    assert summary["questions_resumed"] >= len(kept) - 1


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_stopped_snakemake_can_go_on(
    calm: Project, tmp_path: Path, number: signal.Signals
) -> None:
    """Ctrl-C reaches the whole process group, SIGTERM (a scheduler's) Snakemake alone."""
    project = long_project(tmp_path / "stopped")
    partial = project.results / f"{CHAINS}.partial"
    with snakemake(project) as process:
        await_lines(process, partial, 20)
        if number == signal.SIGINT:
            os.killpg(process.pid, number)
        else:
            process.send_signal(number)
        await_end(process.pid)
    assert len(whole_lines(partial)) >= 20
    project.snakemake("--unlock")
    project.snakemake("--", TARGET)
    assert_same_files(project, calm)


@pytest.mark.full
def test_snakemake_and_workers_killed_at_random_moments(calm: Project, tmp_path: Path) -> None:
    """Twelve kills over one run, of Snakemake or of the worker: the files of an undisturbed one."""
    project = long_project(tmp_path / "killed")
    draw = random.Random(3)
    kept: dict[Path, list[bytes]] = {}
    kills = 0
    while kills < 12:
        with snakemake(project) as process:
            time.sleep(draw.uniform(2, 12))
            workers = [one for one in group(process.pid) if one.pid != process.pid]
            if process.poll() is not None:
                break
            victim = draw.choice([process, *workers])
            victim.kill()
            kills += 1
            if victim is process:
                await_end(process.pid)
            else:
                process.wait(120)
        for name in (CHAINS, COMPLETIONS):
            path = project.results / f"{name}.partial"
            if path.exists():
                now = whole_lines(path)
                assert now[: len(kept.get(path, []))] == kept.get(path, []), name
                kept[path] = now
        project.snakemake("--unlock")
    project.snakemake("--", TARGET)
    print(f"{kills} kills")
    assert_same_files(project, calm)
