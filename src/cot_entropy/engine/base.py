"""What the stages and an engine say to each other: requests in, finished requests out.

A backend computes (`vllm.py`, or `scripted.py` in tests); `stream.Engine` feeds it, bounded in
number, and restarts it once when it stops answering. Token ids only: no engine sees text.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal, Protocol

from cot_entropy.base.errors import UserError

FinishReason = Literal["stop", "length"]


@dataclass(frozen=True, slots=True)
class Request:
    """One prompt and how to sample from it; sample j of `n` uses `seed` + j."""

    id: str
    prompt_token_ids: list[int]
    temperature: float
    max_tokens: int
    seed: int
    n: int = 1
    top_logprobs: int = 0
    """Most probable tokens to return at each position, beside the sampled one."""


@dataclass(frozen=True, slots=True)
class Output:
    """One sampled continuation. With `stop`, the last token is the end-of-text token."""

    token_ids: list[int]
    logprobs: list[float]
    """Natural-log probability of each sampled token under the model itself (temperature 1)."""
    finish_reason: FinishReason
    top_logprobs: list[list[float]] = field(default_factory=list)
    """Those of the request's most probable tokens at each position, falling; empty if not asked."""


@dataclass(frozen=True, slots=True)
class Finished:
    """A request that is done: its `n` outputs in sample order, or why it was rejected."""

    id: str
    outputs: tuple[Output, ...] = ()
    error: str | None = None


@dataclass(frozen=True, slots=True)
class CacheUsage:
    """Prompt tokens that were asked for, and those of them found in the prefix cache."""

    queried: int = 0
    reused: int = 0


class RequestRejectedError(Exception):
    """The backend will not run this request; the message says why. Others are unaffected."""


class BackendLostError(Exception):
    """The backend died or stopped answering; what it had in flight is lost."""


class EngineFailedError(UserError):
    """The engine was lost twice without finishing a request in between."""

    exit_code = 3


class Backend(Protocol):
    """What computes tokens. Used from one thread."""

    def add(self, request: Request) -> None:
        """Queue a request; raises RequestRejectedError or BackendLostError."""

    def step(self) -> list[Finished]:
        """Compute a little and return what finished; raises BackendLostError."""

    def cache_usage(self) -> CacheUsage:
        """Prefix-cache counters since the start of this backend."""

    def close(self) -> None:
        """Stop, release the device and leave no process behind; may be called twice."""


BackendFactory = Callable[[], Backend]
