"""What a generation file took, over all attempts at it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.generate.test_checkpoint import header
from tests.generate.test_generation_stage import Instant, tasks
from tests.generation import scripted_settings

from cot_entropy.base.errors import DataError
from cot_entropy.engine.base import BackendLostError, Finished
from cot_entropy.engine.stream import Engine
from cot_entropy.formats.records import CompletionRecord
from cot_entropy.formats.run_summary import RunSummary, read_summary, summary_path, write_summary
from cot_entropy.generate import stage as generate
from cot_entropy.generate.stage import run_stage

QUESTIONS = 20


def summary(**changes: Any) -> RunSummary:
    values = {
        "stage": "chains",
        "questions": 4,
        "questions_resumed": 0,
        "questions_failed": 0,
        "attempts": 1,
        "engine_starts": 1,
        "restarts": 0,
        "generated_tokens": 100,
        "prompt_tokens_computed": 30,
        "prompt_tokens_reused": 70,
        "wall_seconds": 30.0,
        "start_seconds": 20.0,
        "busy_share": 0.5,
        **changes,
    }
    return RunSummary.model_validate(values)


class Breaking(Instant):
    """Dies of a defect after some steps of one request each."""

    def __init__(self, steps: int, error: type[Exception] = ZeroDivisionError) -> None:
        super().__init__()
        self._left = steps
        self._error = error

    def step(self) -> list[Finished]:
        if not self._left:
            raise self._error
        self._left -= 1
        one, *rest = self._queue
        self._queue = [one]
        done = super().step()
        self._queue = rest
        return done


def run(out: Path, backend: Instant, **changes: Any) -> RunSummary:
    return run_stage(
        tasks(QUESTIONS),
        kind=CompletionRecord,
        header=header(**changes),
        questions=QUESTIONS,
        out=out,
        engine=Engine(lambda: backend, scripted_settings()),
    )


def test_attempts_add_up() -> None:
    """Counts and seconds are sums; the busy share is (0.5 x 10 s + 1.0 x 40 s) / 50 s."""
    both = summary(wall_seconds=60.0, busy_share=1.0, restarts=2).after(summary())
    assert (both.attempts, both.engine_starts, both.restarts) == (2, 2, 2)
    assert (both.generated_tokens, both.wall_seconds, both.start_seconds) == (200, 90.0, 40.0)
    assert both.busy_share == 0.9


def test_what_a_file_holds_is_the_last_attempts() -> None:
    """Questions are not added."""
    both = summary(questions_resumed=3, questions_failed=1).after(summary(questions_resumed=2))
    assert (both.questions, both.questions_resumed, both.questions_failed) == (4, 3, 1)


def test_it_stands_beside_its_file(tmp_path: Path) -> None:
    path = tmp_path / "chains.jsonl.zst"
    assert summary_path(path) == tmp_path / "chains.run.json"
    assert read_summary(path) is None
    write_summary(path, summary())
    assert read_summary(path) == summary()


def test_a_damaged_one_is_named(tmp_path: Path) -> None:
    path = tmp_path / "chains.jsonl.zst"
    summary_path(path).write_text('{"stage": "chains"}')
    with pytest.raises(DataError, match=r"chains\.run\.json: .*delete it"):
        read_summary(path)


def test_a_stage_writes_what_it_returns(tmp_path: Path) -> None:
    """Two tokens a question; of 16 prompt tokens the backend found 10 in its cache."""
    out = tmp_path / "chains.jsonl.zst"
    written = run(out, Instant())
    assert read_summary(out) == written
    assert (written.generated_tokens, written.attempts, written.engine_starts) == (40, 1, 1)
    assert (written.prompt_tokens_computed, written.prompt_tokens_reused) == (6, 10)


def test_a_broken_attempt_is_counted_with_the_one_that_continues_it(tmp_path: Path) -> None:
    """Five questions before the defect, the other 15 after it; nothing is counted twice."""
    out = tmp_path / "chains.jsonl.zst"
    with pytest.raises(ZeroDivisionError):
        run(out, Breaking(5))
    broken = read_summary(out)
    assert broken is not None
    assert (broken.attempts, broken.generated_tokens) == (1, 10)
    whole = run(out, Instant())
    assert (whole.attempts, whole.engine_starts) == (2, 2)
    assert (whole.generated_tokens, whole.questions_resumed) == (40, 5)
    assert whole.wall_seconds >= broken.wall_seconds


def test_restarts_of_the_engine_are_counted(tmp_path: Path) -> None:
    """The first backend is lost, the second finishes: two starts in one attempt."""
    backends = iter((Breaking(5, BackendLostError), Instant()))
    out = tmp_path / "chains.jsonl.zst"
    done = run_stage(
        tasks(QUESTIONS),
        kind=CompletionRecord,
        header=header(),
        questions=QUESTIONS,
        out=out,
        engine=Engine(lambda: next(backends), scripted_settings()),
    )
    assert (done.attempts, done.engine_starts, done.restarts) == (1, 2, 1)


def test_a_file_made_anew_counts_from_nothing(tmp_path: Path) -> None:
    """What an earlier file of the same name took is not added."""
    out = tmp_path / "chains.jsonl.zst"
    run(out, Instant())
    again = run(out, Instant(), study_seed=2)
    assert (again.attempts, again.generated_tokens) == (1, 40)


def test_a_long_run_is_noted_on_the_way(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """So that a kill leaves no more uncounted than that interval."""
    monkeypatch.setattr(generate, "SAVE_SECONDS", 0.0)
    out = tmp_path / "chains.jsonl.zst"
    seen: list[int] = []

    class Watching(Breaking):
        def step(self) -> list[Finished]:
            seen.append(json.loads(summary_path(out).read_text())["generated_tokens"])
            return super().step()

    run(out, Watching(QUESTIONS))
    assert seen == [2 * step for step in range(QUESTIONS)]
