"""What both generation stages share."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import tracemalloc
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.generate.test_checkpoint import header
from tests.generation import model_folder, scripted_settings, write_manifest, write_questions

from cot_entropy.base.errors import DataError
from cot_entropy.engine.base import CacheUsage, Finished, Output, Request
from cot_entropy.engine.stream import Engine
from cot_entropy.formats.records import CompletionRecord
from cot_entropy.formats.run_summary import RunSummary
from cot_entropy.generate.stage import Task, run_stage, sample_of


class Instant:
    """A backend that answers at once and reads 10 of every 16 prompt tokens from its cache."""

    def __init__(self) -> None:
        self._queue: list[Request] = []

    def add(self, request: Request) -> None:
        self._queue.append(request)

    def step(self) -> list[Finished]:
        done = [Finished(one.id, (Output([1, 2], [-0.5, -0.5], "stop"),)) for one in self._queue]
        self._queue = []
        return done

    def cache_usage(self) -> CacheUsage:
        return CacheUsage(queried=16, reused=10)

    def close(self) -> None:
        self._queue = []


def tasks(count: int) -> Iterator[Task[CompletionRecord]]:
    for index in range(count):
        name = f"q{index}"
        request = Request(str(index), [1, 2, 3], 0.7, 5, seed=index)
        yield Task((request,), lambda _, name=name: CompletionRecord(question_id=name, prefixes=[]))


def run(out: Path, *, given: int, expected: int) -> RunSummary:
    return run_stage(
        tasks(given),
        kind=CompletionRecord,
        header=header(),
        questions=expected,
        out=out,
        engine=Engine(Instant, scripted_settings()),
    )


def test_summary_counts_tokens_and_cache(tmp_path: Path) -> None:
    """Two tokens a question; the cache as the backend counts it."""
    summary = run(tmp_path / "out", given=7, expected=7)
    assert summary.generated_tokens == 14
    assert (summary.prompt_tokens_computed, summary.prompt_tokens_reused) == (6, 10)
    assert (summary.questions, summary.questions_failed, summary.restarts) == (7, 0, 0)
    assert 0 <= summary.busy_share <= 1


def test_fewer_questions_than_declared_is_an_error(tmp_path: Path) -> None:
    """No file comes out that is shorter than its header says."""
    with pytest.raises(DataError, match="fewer questions"):
        run(tmp_path / "out", given=6, expected=7)
    assert not (tmp_path / "out").exists()


def test_more_questions_than_declared_is_an_error(tmp_path: Path) -> None:
    """Nor one that is longer."""
    with pytest.raises(DataError, match="more questions"):
        run(tmp_path / "out", given=8, expected=7)


def test_log_probabilities_have_four_decimals_and_no_negative_zero() -> None:
    """-0.00001 is stored as 0.0."""
    sample = sample_of(Output([1, 2], [-0.00001, -1.23456], "stop"), "text")
    assert [str(value) for value in sample.logprobs] == ["0.0", "-1.2346"]


def peak_memory(folder: Path, count: int) -> int:
    tracemalloc.start()
    try:
        run(folder / str(count), given=count, expected=count)
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@pytest.fixture
def fast_folder(tmp_path: Path) -> Iterator[Path]:
    """A folder in memory where there is one: 100,000 synced lines take minutes on a disk."""
    memory = Path("/dev/shm")
    with tempfile.TemporaryDirectory(dir=memory if memory.is_dir() else tmp_path) as folder:
        yield Path(folder)


@pytest.mark.full
def test_memory_does_not_grow_with_the_study(fast_folder: Path) -> None:
    """From 100 to 100,000 questions the peak grows by less than 2 MB: eight bytes a question for
    the checkpoint's offsets, and the compressor's buffers."""
    small = peak_memory(fast_folder, 100)
    large = peak_memory(fast_folder, 100_000)
    assert large - small < 2 * 2**20


STAGE = """
import json, sys, time
from pathlib import Path
from tests.generation import chains_job
from cot_entropy.generate.chains import generate_chains

folder = Path(sys.argv[1])
began = time.process_time()
generate_chains(
    chains_job(),
    model=folder / "model.json",
    questions=folder / "questions.jsonl.zst",
    out=folder / "chains.jsonl.zst",
)
used = time.process_time() - began
status = Path("/proc/self/status").read_text()  # ru_maxrss would count the process before exec
(peak,) = [int(line.split()[1]) for line in status.splitlines() if line.startswith("VmHWM")]
print(json.dumps({"peak_kib": peak, "seconds": used}))
"""


def stage_of(folder: Path, count: int) -> dict[str, float]:
    """The chains stage on the scripted engine in a process of its own: peak resident memory and
    processor seconds."""
    folder.mkdir()
    tests = Path(__file__).parents[1]
    write_manifest(folder / "model.json", model_folder(folder / "model"))
    write_questions(folder / "questions.jsonl.zst", [f"What is {n} and 2?" for n in range(count)])
    done = subprocess.run(
        [sys.executable, "-c", STAGE, str(folder)],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "PYTHONPATH": f"{tests.parent / 'src'}:{tests.parent}"},
    )
    measured: dict[str, float] = json.loads(done.stdout)
    return measured


@pytest.mark.full
def test_a_process_does_not_grow_with_its_questions(fast_folder: Path) -> None:
    """The whole chains stage, from 100 to 100,000 questions: its peak resident memory grows by less
    than 20 MiB (offsets, the tokenizer's bounded caches, the compressor's 11 MB), and the overhead
    of a record is stated."""
    small, large = stage_of(fast_folder / "s", 100), stage_of(fast_folder / "l", 100_000)
    each = 1000 * (large["seconds"] - small["seconds"]) / (100_000 - 100)
    print(f"{small} {large}: {each:.2f} ms of processor a record")
    assert large["peak_kib"] - small["peak_kib"] < 20 * 1024


def test_nothing_is_imported_that_a_continued_run_does_not_need() -> None:
    """Importing the stages loads neither vLLM nor torch."""
    code = (
        "import sys, cot_entropy.generate.chains, cot_entropy.generate.completions; "
        "print([name for name in ('vllm', 'torch') if name in sys.modules])"
    )
    source = Path(__file__).parents[2] / "src"
    result = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=True,
        env={"PYTHONPATH": str(source), "PATH": ""},
    )
    assert result.stdout == "[]\n"
