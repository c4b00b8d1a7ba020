"""A stand-in for tests: its tokens are a function of prompt and seed, and it fails on request.

It never computes a model. `identity.engine_identity` names it `scripted`, and that name stands in
the header of every file made with it.
"""

from __future__ import annotations

import hashlib
import json
import math
import random
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from tokenizers import Tokenizer

from cot_entropy.engine.base import (
    BackendLostError,
    CacheUsage,
    Finished,
    Output,
    Request,
    RequestRejectedError,
)


@dataclass(frozen=True, slots=True)
class Faults:
    """What goes wrong, and when; the default is nothing."""

    reject_prompts_with: int | None = None
    """Reject every request whose prompt contains this token id."""
    die_after: int | None = None
    """Lose the backend once that many requests are finished."""
    stall_after: int | None = None
    """Stop answering once that many requests are finished."""
    step_seconds: float = 0.0
    """How long each step takes."""


class ScriptedBackend:
    """Finishes up to `width` requests a step, not in the order in which they came."""

    def __init__(self, folder: Path, *, faults: Faults | None = None, width: int = 4) -> None:
        self._tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        self._end = _end_token(folder)
        self._faults = faults or Faults()
        self._width = width
        self._queue: list[Request] = []
        self._finished = 0

    def add(self, request: Request) -> None:
        """Queue a request, or reject it as the faults say."""
        if self._faults.reject_prompts_with in request.prompt_token_ids:
            raise RequestRejectedError(f"token {self._faults.reject_prompts_with} is not allowed")
        self._queue.append(request)

    def step(self) -> list[Finished]:
        """Finish some requests, last queued first."""
        time.sleep(self._faults.step_seconds)
        if self._faults.die_after is not None and self._finished >= self._faults.die_after:
            raise BackendLostError("the scripted engine died")
        if self._faults.stall_after is not None and self._finished >= self._faults.stall_after:
            time.sleep(3600)
        batch, self._queue = self._queue[-self._width :], self._queue[: -self._width]
        self._finished += len(batch)
        return [
            Finished(one.id, tuple(self._sample(one, index) for index in range(one.n)))
            for one in batch
        ]

    def cache_usage(self) -> CacheUsage:
        """There is no cache."""
        return CacheUsage()

    def close(self) -> None:
        """Forget what is queued."""
        self._queue = []

    def _sample(self, request: Request, index: int) -> Output:
        text = script(request.prompt_token_ids, request.seed + index)
        ids = [*self._tokenizer.encode(text, add_special_tokens=False).ids, self._end]
        taken = ids[: request.max_tokens]
        return Output(
            token_ids=taken,
            logprobs=[-0.25 - (token % 8) / 16 for token in taken],
            finish_reason="stop" if len(taken) == len(ids) else "length",
            top_logprobs=[halves(request.top_logprobs)] * len(taken)
            if request.top_logprobs
            else [],
        )


def script(prompt: Sequence[int], seed: int) -> str:
    """One to five reasoning units and an answer between 1 and 3, a function of the arguments."""
    key = json.dumps([list(prompt), seed]).encode()
    draw = random.Random(int.from_bytes(hashlib.sha256(key).digest()[:8], "big"))  # noqa: S311
    units = [
        f"Step {number}: take {draw.randint(2, 99)} and add {draw.randint(2, 99)}."
        for number in range(1, draw.randint(2, 6))
    ]
    return "\n\n".join([*units, f"The answer is {draw.choice((1, 1, 2, 3))}."])


def halves(count: int) -> list[float]:
    """Log-probabilities of tokens with the probabilities 1/2, 1/4, 1/8 and so on."""
    return [-rank * math.log(2) for rank in range(1, count + 1)]


def _end_token(folder: Path) -> int:
    config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
    end = config["eos_token_id"]
    return int(end[0] if isinstance(end, list) else end)
