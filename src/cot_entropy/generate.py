"""What both generation stages do: feed the engine, keep what finishes, write the file once.

A stage turns each question into a `Task`: the requests to make, and how their results become a
record. Finished records go into a checkpoint, so that a killed stage continues where it was; a
question is the unit of work, and a kill loses only the questions in flight.
"""

from __future__ import annotations

import logging
import signal
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType
from typing import Generic, TypeVar

from cot_entropy.checkpoint import Checkpoint
from cot_entropy.engine import Engine
from cot_entropy.engine.base import Finished, Output, Request
from cot_entropy.engine.settings import EngineSettings
from cot_entropy.errors import UserError
from cot_entropy.progress import StageProgress
from cot_entropy.protocol.shard import Shard
from cot_entropy.records import ChainRecord, CompletionRecord, Header, Sample
from cot_entropy.shards import own_header, own_questions
from cot_entropy.strict import Strict

R = TypeVar("R", ChainRecord, CompletionRecord)

OpenEngine = Callable[[EngineSettings, Path], Engine]

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Task(Generic[R]):
    """One question: requests with ids that are unique in the stage, and what becomes of them.

    Without requests the record is made from nothing: the question cannot be asked.
    """

    requests: tuple[Request, ...]
    record: Callable[[list[Finished]], R]
    """From the finished requests, in the order of `requests`."""


class RunSummary(Strict):
    """What one run of a stage did; earlier runs of the same file are not counted."""

    stage: str
    questions: int
    questions_resumed: int
    """Found finished in the checkpoint."""
    questions_failed: int
    """Whose record holds an error, in the whole file."""
    generated_tokens: int
    prompt_tokens_queried: int
    prompt_tokens_reused: int
    """Of those queried, found in the prefix cache."""
    wall_seconds: float
    start_seconds: float
    """Starting the engine."""
    busy_share: float
    """Share of the wall time, start excluded, that the engine was computing."""
    restarts: int


class StoppedError(UserError):
    """The stage was told to stop (Ctrl-C or SIGTERM); it can be continued."""


@dataclass(slots=True)
class _Open(Generic[R]):
    task: Task[R]
    missing: int
    finished: dict[str, Finished] = field(default_factory=dict)


def run_stage(
    tasks: Iterable[Task[R]],
    *,
    kind: type[R],
    header: Header,
    questions: int,
    out: Path,
    engine: Engine,
    shard: Shard | None = None,
) -> RunSummary:
    """Generate what the checkpoint of `out` does not hold yet, then write `out`.

    With a shard, of the questions only those in it: header and checkpoint are then its own.
    Raises StoppedError on SIGINT and SIGTERM (exit code 130 and 143), and what checkpoint and
    engine raise; finished questions are on disk then.
    """
    began = time.monotonic()
    title = f"{header.stage} {header.cell}"
    if shard is not None:
        title = f"{title} {shard.number}/{shard.of}"
        header, tasks = own_header(shard, header), own_questions(shard, tasks)
        questions = len(shard.positions(questions))
    with _stop_signals(out), Checkpoint(out, header, kind, questions) as checkpoint, engine:
        resumed = checkpoint.finished
        if resumed:
            log.warning("%s: continuing, %d of %d questions are done", out, resumed, questions)
        _generate(tasks, checkpoint, engine, title=title, total=questions)
        engine.close()
        failed = checkpoint.finish()
    wall = time.monotonic() - began
    usage = engine.usage
    summary = RunSummary(
        stage=header.stage,
        questions=questions,
        questions_resumed=resumed,
        questions_failed=failed,
        generated_tokens=usage.generated_tokens,
        prompt_tokens_queried=usage.prompt_tokens_queried,
        prompt_tokens_reused=usage.prompt_tokens_reused,
        wall_seconds=round(wall, 3),
        start_seconds=round(usage.start_seconds, 3),
        busy_share=round(min(1.0, usage.busy_seconds / max(wall - usage.start_seconds, 1e-9)), 4),
        restarts=usage.restarts,
    )
    log.info("%s", summary.model_dump_json())
    return summary


def sample_of(output: Output, text: str) -> Sample:
    """An engine's output as it is stored."""
    return Sample(
        text=text,
        token_ids=output.token_ids,
        logprobs=[round(value, 4) + 0.0 for value in output.logprobs],
        finish_reason=output.finish_reason,
    )


def text_tokens(output: Output) -> list[int]:
    """The tokens that are text: all but the end-of-text token."""
    return output.token_ids[:-1] if output.finish_reason == "stop" else output.token_ids


def _generate(
    tasks: Iterable[Task[R]],
    checkpoint: Checkpoint[R],
    engine: Engine,
    *,
    title: str,
    total: int,
) -> None:
    opened: dict[int, _Open[R]] = {}
    owner: dict[str, int] = {}

    def requests() -> Iterator[Request]:
        for position, task in enumerate(tasks):
            if checkpoint.holds(position):
                continue
            if not task.requests:
                checkpoint.append(position, task.record([]))
                continue
            opened[position] = _Open(task, missing=len(task.requests))
            owner.update((request.id, position) for request in task.requests)
            yield from task.requests

    done = checkpoint.finished
    with StageProgress(title, done=done, total=total) as progress:
        for finished in engine.stream(requests()):
            position = owner.pop(finished.id)
            question = opened[position]
            question.finished[finished.id] = finished
            question.missing -= 1
            if not question.missing:
                del opened[position]
                results = [question.finished[request.id] for request in question.task.requests]
                checkpoint.append(position, question.task.record(results))
                done += 1
            progress.update(done=done, tokens=engine.usage.generated_tokens)


class _Stop(BaseException):
    """Raised by the signal handler; no Exception, so that no library's handler swallows it."""

    def __init__(self, number: int) -> None:
        self.number = number


@contextmanager
def _stop_signals(out: Path) -> Iterator[None]:
    """Turn the first SIGINT or SIGTERM into a clean stop; a second one has its usual effect."""
    numbers = (signal.SIGINT, signal.SIGTERM)
    previous = {number: signal.getsignal(number) for number in numbers}

    def stop(number: int, _frame: FrameType | None) -> None:
        for each in numbers:
            signal.signal(each, previous[each])
        raise _Stop(number)

    for number in numbers:
        signal.signal(number, stop)
    try:
        yield
    except _Stop as reason:
        error = StoppedError(
            f"{out}: stopped by {signal.Signals(reason.number).name}; run the same command again "
            "to continue after the last finished question"
        )
        error.exit_code = 128 + reason.number
        raise error from None
    finally:
        for number in numbers:
            signal.signal(number, previous[number])
