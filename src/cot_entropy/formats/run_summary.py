"""What one generation file took: tokens, time and restarts, in `<stem>.run.json` beside it.

It counts every attempt at the file: a continued run adds to what the earlier ones noted. It is
timing, so no two runs agree on it; nothing is derived from it and no audit compares it.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final, Self

from pydantic import ValidationError

from cot_entropy.base.errors import DataError
from cot_entropy.base.files import write_text
from cot_entropy.base.strict import Strict, describe, validate_json

ADDED: Final = (
    "attempts",
    "engine_starts",
    "restarts",
    "generated_tokens",
    "prompt_tokens_computed",
    "prompt_tokens_reused",
    "wall_seconds",
    "start_seconds",
)
"""What a further attempt adds to."""


class RunSummary(Strict):
    """All attempts at one file, and all shards of it; noted each half minute and at the end."""

    stage: str
    """`chains`, `completions` or `self_consistency`."""
    questions: int
    """In the file."""
    questions_resumed: int
    """Found finished when the last attempt began."""
    questions_failed: int
    """Whose record holds an error, in the whole file; 0 until it is complete."""
    attempts: int
    """Starts of the stage: more than one where it was stopped or killed, and continued."""
    engine_starts: int
    """Over all attempts, restarts included."""
    restarts: int
    """Of the engine, within an attempt, after it died or stopped answering."""
    generated_tokens: int
    """Those that a kill or restart threw away included."""
    prompt_tokens_computed: int
    """Of the prompts of all sequences, those not found in the prefix cache."""
    prompt_tokens_reused: int
    """Of them, those found there."""
    wall_seconds: float
    """Of all attempts, and of all shards one after another."""
    start_seconds: float
    """Of these, starting the engine."""
    busy_share: float
    """Share of the other seconds in which the engine was computing."""

    @property
    def working_seconds(self) -> float:
        """Wall seconds without the engine's starts."""
        return self.wall_seconds - self.start_seconds

    def after(self, earlier: Self) -> Self:
        """This attempt added to the earlier ones at the same questions."""
        return self._plus(earlier, *ADDED)

    def beside(self, other: Self) -> Self:
        """This shard added to another; the seconds are those of both devices."""
        return self._plus(other, *ADDED, "questions", "questions_resumed", "questions_failed")

    def _plus(self, other: Self, *names: str) -> Self:
        both = self.working_seconds + other.working_seconds
        busy = sum(one.busy_share * one.working_seconds for one in (self, other))
        sums = {name: getattr(self, name) + getattr(other, name) for name in names}
        return self.model_copy(
            update={**sums, "busy_share": round(busy / both, 4) if both else 0.0}
        )


def summary_path(generation: Path) -> Path:
    """Where the summary of a generation file stands."""
    return generation.with_name(generation.name.removesuffix(".jsonl.zst") + ".run.json")


def read_summary(generation: Path) -> RunSummary | None:
    """The summary of a generation file, or None where none was noted; raises DataError."""
    path = summary_path(generation)
    try:
        return validate_json(RunSummary, path.read_bytes())
    except FileNotFoundError:
        return None
    except ValidationError as error:
        raise DataError(f"{path}: {describe(error)}; delete it") from None


def write_summary(generation: Path, summary: RunSummary) -> None:
    """Write the summary beside its file, atomically."""
    write_text(summary_path(generation), summary.model_dump_json(indent=1) + "\n")
