"""What both generation stages do: feed the engine, keep what finishes, write the file once.

A stage turns each question into a `Task`: the requests to make, and how their results become a
record. Finished records go into a checkpoint, so that a killed stage continues where it was; a
question is the unit of work, and a kill loses only the questions in flight.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, Generic, TypeVar

from cot_entropy.base.errors import StorageError, storage_error
from cot_entropy.base.progress import StageProgress
from cot_entropy.base.stopping import stop_signals
from cot_entropy.engine.base import Finished, Output, Request
from cot_entropy.engine.stream import Engine
from cot_entropy.formats.records import ChainRecord, CompletionRecord, Header, Sample
from cot_entropy.formats.run_summary import RunSummary, read_summary, write_summary
from cot_entropy.generate.checkpoint import Checkpoint
from cot_entropy.generate.shards import own_header, own_questions
from cot_entropy.protocol.engine import EngineSettings
from cot_entropy.protocol.shard import Shard

R = TypeVar("R", ChainRecord, CompletionRecord)

OpenEngine = Callable[[EngineSettings, Path], Engine]

SAVE_SECONDS: Final = 30.0
"""Between two notes of the summary: what a kill can leave uncounted."""

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Task(Generic[R]):
    """One question: requests with ids that are unique in the stage, and what becomes of them.

    Without requests the record is made from nothing: the question cannot be asked.
    """

    requests: tuple[Request, ...]
    record: Callable[[list[Finished]], R]
    """From the finished requests, in the order of `requests`."""


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
    title = f"{header.stage} {header.cell}"
    if shard is not None:
        title = f"{title} {shard.number}/{shard.of}"
        header, tasks = own_header(shard, header), own_questions(shard, tasks)
        questions = len(shard.positions(questions))
    with stop_signals(out), Checkpoint(out, header, kind, questions) as checkpoint, engine:
        if checkpoint.finished:
            found = checkpoint.finished
            log.warning("%s: continuing, %d of %d questions are done", out, found, questions)
        account = _Account(out, header.stage, checkpoint, engine)
        account.save()
        try:
            _generate(tasks, checkpoint, engine, account, title)
            engine.close()
            failed = checkpoint.finish()
        except StorageError:
            raise
        except BaseException:
            account.save()
            raise
        summary = account.save(failed=failed)
    log.info("%s", summary.model_dump_json())
    return summary


class _Account:
    """Notes what the attempts at a file have taken so far, this one included."""

    def __init__(self, out: Path, stage: str, checkpoint: Checkpoint[R], engine: Engine) -> None:
        self._out = out
        self._stage = stage
        self._questions = checkpoint.questions
        self._resumed = checkpoint.finished
        self._earlier = read_summary(out) if checkpoint.continued else None
        self._engine = engine
        self._began = time.monotonic()
        self._saved = self._began

    def tick(self) -> None:
        """Save, if the last time is long enough ago."""
        if time.monotonic() - self._saved >= SAVE_SECONDS:
            self.save()

    def save(self, *, failed: int = 0) -> RunSummary:
        """Write the summary so far; raises StorageError."""
        self._saved = time.monotonic()
        wall = self._saved - self._began
        usage = self._engine.counted()
        working = max(wall - usage.start_seconds, 1e-9)
        here = RunSummary(
            stage=self._stage,
            questions=self._questions,
            questions_resumed=self._resumed,
            questions_failed=failed,
            attempts=1,
            engine_starts=usage.starts,
            restarts=usage.restarts,
            generated_tokens=usage.generated_tokens,
            prompt_tokens_computed=usage.prompt_tokens_queried - usage.prompt_tokens_reused,
            prompt_tokens_reused=usage.prompt_tokens_reused,
            wall_seconds=round(wall, 3),
            start_seconds=round(usage.start_seconds, 3),
            busy_share=round(min(1.0, usage.busy_seconds / working), 4),
        )
        summary = here.after(self._earlier) if self._earlier else here
        try:
            write_summary(self._out, summary)
        except OSError as error:
            raise storage_error(self._out, error) from None
        return summary


def sample_of(output: Output, text: str) -> Sample:
    """An engine's output as it is stored."""
    return Sample(
        text=text,
        token_ids=output.token_ids,
        logprobs=stored_logprobs(output.logprobs),
        finish_reason=output.finish_reason,
    )


def stored_logprobs(values: Iterable[float]) -> list[float]:
    """Log-probabilities as they are stored: four decimals, no -0.0."""
    return [round(value, 4) + 0.0 for value in values]


def text_tokens(output: Output | Sample) -> list[int]:
    """The tokens that are text: all but the end-of-text token."""
    return output.token_ids[:-1] if output.finish_reason == "stop" else output.token_ids


def _generate(
    tasks: Iterable[Task[R]],
    checkpoint: Checkpoint[R],
    engine: Engine,
    account: _Account,
    title: str,
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
    with StageProgress(title, done=done, total=checkpoint.questions) as progress:
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
            account.tick()
