"""The engine as the stages see it: a stream of finished requests, bounded in flight.

The backend is always kept full: twice `max_num_seqs` sequences are submitted, so that its own
queue never runs dry before the requests do, and no more, so that memory does not grow with the
study. Requests are submitted in the order given; the completions of one question therefore stand
next to each other, in prefix order, and find each other's prompt in the prefix cache.
"""

from __future__ import annotations

import logging
import signal
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from types import FrameType, TracebackType
from typing import Final, Self

from cot_entropy.engine.base import (
    Backend,
    BackendFactory,
    BackendLostError,
    CacheUsage,
    EngineFailedError,
    Finished,
    Request,
    RequestRejectedError,
)
from cot_entropy.protocol.engine import EngineSettings

QUEUE_FACTOR: Final = 2
START_TIMEOUT_S: Final = 1800

log = logging.getLogger(__name__)


@dataclass(slots=True)
class Usage:
    """Counters of one engine over its life, restarts included."""

    generated_tokens: int = 0
    prompt_tokens_queried: int = 0
    prompt_tokens_reused: int = 0
    starts: int = 0
    start_seconds: float = 0.0
    busy_seconds: float = 0.0
    """Spent inside the backend, starting it excluded."""
    restarts: int = 0


class StalledError(BaseException):
    """Raised by the alarm; no Exception, so that no library's handler swallows it."""


class Engine:
    """A backend that is started on first use, watched, restarted once, and closed cleanly.

    Use it as a context manager, in the main thread (the stall alarm is a signal).
    """

    def __init__(self, start: BackendFactory, settings: EngineSettings) -> None:
        self._start = start
        self._settings = settings
        self._backend: Backend | None = None
        self._finished_since_start = 0
        self.usage = Usage()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Stop the backend, if it was started."""
        self._discard()

    def counted(self) -> Usage:
        """The counters so far, with the running backend's prefix cache."""
        cache = self._backend.cache_usage() if self._backend is not None else CacheUsage()
        return replace(
            self.usage,
            prompt_tokens_queried=self.usage.prompt_tokens_queried + cache.queried,
            prompt_tokens_reused=self.usage.prompt_tokens_reused + cache.reused,
        )

    def stream(self, requests: Iterable[Request]) -> Iterator[Finished]:
        """Yield each request once it is finished, in whatever order that happens.

        Raises EngineFailedError if the backend is lost twice with nothing finished in between.
        """
        source = iter(requests)
        limit = QUEUE_FACTOR * self._settings.max_num_seqs
        waiting: dict[str, Request] = {}
        sequences = 0
        exhausted = False
        while True:
            while not exhausted and sequences < limit:
                request = next(source, None)
                if request is None:
                    exhausted = True
                    break
                waiting[request.id] = request
                sequences += request.n
                for rejected in self._submit([request], waiting):
                    sequences -= waiting.pop(rejected.id).n
                    yield rejected
            if not waiting:
                return
            for finished in self._step(waiting):
                sequences -= waiting.pop(finished.id).n
                self._finished_since_start += 1
                self.usage.generated_tokens += sum(len(one.token_ids) for one in finished.outputs)
                yield finished

    def _submit(self, batch: list[Request], waiting: dict[str, Request]) -> list[Finished]:
        rejected = []
        for request in batch:
            try:
                with self._watched() as backend:
                    backend.add(request)
            except RequestRejectedError as error:
                rejected.append(Finished(request.id, error=f"rejected by the engine: {error}"))
            except BackendLostError as error:
                return self._restart(error, waiting)
        return rejected

    def _step(self, waiting: dict[str, Request]) -> list[Finished]:
        try:
            with self._watched() as backend:
                return backend.step()
        except BackendLostError as error:
            return self._restart(error, waiting)

    def _restart(self, error: BackendLostError, waiting: dict[str, Request]) -> list[Finished]:
        """Start anew and resubmit what was in flight; returns what is then rejected."""
        self._discard()
        if self.usage.restarts and not self._finished_since_start:
            raise EngineFailedError(
                f"the engine failed twice with nothing finished in between ({error}); finished "
                "questions are kept: free the device or lower engine.max_num_seqs, and run again"
            )
        log.warning("engine lost (%s); restarting it once", error)
        self.usage.restarts += 1
        self._finished_since_start = 0
        return self._submit(list(waiting.values()), waiting)

    def _discard(self) -> None:
        self.usage = self.counted()
        backend, self._backend = self._backend, None
        if backend is not None:
            backend.close()

    @contextmanager
    def _watched(self) -> Iterator[Backend]:
        """The backend, with an alarm that turns silence into BackendLostError."""
        if self._backend is None:
            began = time.monotonic()
            try:
                with _alarm(max(START_TIMEOUT_S, self._settings.stall_timeout_s)):
                    self._backend = self._start()
            except StalledError:
                raise BackendLostError("it did not start in time") from None
            self.usage.starts += 1
            self.usage.start_seconds += time.monotonic() - began
        began = time.monotonic()
        try:
            with _alarm(self._settings.stall_timeout_s):
                yield self._backend
        except StalledError:
            raise BackendLostError(
                f"no answer for {self._settings.stall_timeout_s} s (engine.stall_timeout_s)"
            ) from None
        finally:
            self.usage.busy_seconds += time.monotonic() - began


@contextmanager
def _alarm(seconds: float) -> Iterator[None]:
    def ring(_number: int, _frame: FrameType | None) -> None:
        raise StalledError

    previous = signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, previous)
