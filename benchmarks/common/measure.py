"""Each way in a process of its own, one of them at work at a time."""

from __future__ import annotations

import multiprocessing
import time
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing.connection import Connection
from typing import NamedTuple

from common.prepare import Work
from common.ways import Way


class Measured(NamedTuple):
    """One repeat of one way."""

    tokens: int
    seconds: float
    processor_seconds: float


def serve(connection: Connection, way: Way, work: Work) -> None:
    """In a process of its own: start, say how long that took, then work on demand."""
    began = time.monotonic()
    run = way(work)
    connection.send(time.monotonic() - began)
    while connection.recv():
        wall, used = time.monotonic(), time.process_time()
        tokens = run()
        connection.send(Measured(tokens, time.monotonic() - wall, time.process_time() - used))


@contextmanager
def process(way: Way, work: Work) -> Iterator[tuple[Connection, float]]:
    """A way's process and the seconds that its start took."""
    context = multiprocessing.get_context("spawn")
    here, there = context.Pipe()
    worker = context.Process(target=serve, args=(there, way, work))
    worker.start()
    there.close()
    try:
        yield here, here.recv()
        here.send(False)
        worker.join(60)
    finally:
        worker.kill()
        worker.join()


def ask(connection: Connection) -> Measured:
    connection.send(True)
    measured: Measured = connection.recv()
    return measured


def rates(measured: list[Measured]) -> list[float]:
    return [one.tokens / one.seconds for one in measured]
