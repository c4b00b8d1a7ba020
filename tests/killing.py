"""Snakemake at work in a process group of its own, to be killed, and what it left on disk."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psutil

ROOT = Path(__file__).parents[1]
BIN = Path(sys.executable).parent


@contextmanager
def snakemake(folder: Path, *arguments: str) -> Iterator[subprocess.Popen[bytes]]:
    """The project's Snakefile on `study.yaml` in a folder; nothing of it is left at the end."""
    command = [
        str(BIN / "snakemake"),
        "--snakefile", str(ROOT / "Snakefile"),
        "--directory", str(folder),
        "--profile", str(ROOT / "profiles/default"),
        "--cores", "2",
        "--configfile", str(folder / "study.yaml"),
        *arguments,
    ]  # fmt: skip
    with (folder / "output").open("ab") as output:
        process = subprocess.Popen(
            command,
            cwd=folder,
            env={**os.environ, "PATH": f"{BIN}{os.pathsep}{os.environ['PATH']}"},
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    try:
        yield process
    finally:
        for one in session(process.pid):
            one.kill()
        process.wait()


def run(folder: Path, *arguments: str) -> None:
    """Snakemake, to its end, which must be a good one."""
    with snakemake(folder, *arguments) as process:
        assert process.wait(1800) == 0, (folder / "output").read_text()[-4000:]


def session(number: int) -> list[psutil.Process]:
    """The living processes of a session: its leader's children stay in it when that is killed."""
    found = []
    for one in psutil.process_iter():
        try:
            if os.getsid(one.pid) == number and one.status() != psutil.STATUS_ZOMBIE:
                found.append(one)
        except (ProcessLookupError, psutil.NoSuchProcess):
            continue
    return found


def await_end(process: subprocess.Popen[bytes], *, seconds: float = 120) -> None:
    """Every process of the session ends by itself."""
    deadline = time.monotonic() + seconds
    while session(process.pid):
        process.poll()
        assert time.monotonic() < deadline, [one.cmdline() for one in session(process.pid)]
        time.sleep(0.05)


def whole_lines(path: Path) -> list[bytes]:
    """The finished lines of a checkpoint; its first is the header."""
    data = path.read_bytes() if path.exists() else b""
    return [line for line in data.splitlines(keepends=True) if line.endswith(b"\n")]


def await_lines(process: subprocess.Popen[bytes], path: Path, count: int) -> None:
    """Wait until a checkpoint holds so many lines."""
    deadline = time.monotonic() + 600
    while len(whole_lines(path)) < count:
        assert process.poll() is None, f"{path} never held {count} lines"
        assert time.monotonic() < deadline, f"{path} never held {count} lines"
        time.sleep(0.01)
