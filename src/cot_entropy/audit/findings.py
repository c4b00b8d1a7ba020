"""One difference that an audit found, and how code is run that may meet anything."""

from __future__ import annotations

import logging
from collections.abc import Callable
from concurrent.futures import BrokenExecutor
from typing import Literal

from cot_entropy.base.errors import StorageError, UserError
from cot_entropy.base.strict import Strict

LOG = logging.getLogger(__name__)
Check = Literal[
    "registration",
    "registered",
    "anchors",
    "ledger",
    "files",
    "generations",
    "derivation",
    "regeneration",
    "comparison",
]


class Finding(Strict):
    """One difference."""

    check: Check
    subject: str
    """A registered item, a file below the results, or a cell."""
    detail: str
    declared: str | None = None
    """The deviation that names it; null where none does."""

    def __str__(self) -> str:
        mark = f"deviation {self.declared}" if self.declared else "difference"
        return f"{mark}: {self.subject}: {self.detail}"


def problem_of(derive: Callable[[], str]) -> str:
    """What `derive` finds; or why it could not be done.

    Stored records are anybody's: those that no code could have written stop code that trusts its
    own in any way, and are a difference all the same. Raises what is the machine's fault: a full
    disk, too little memory, a process that was killed.
    """
    try:
        return derive()
    except StorageError:
        raise
    except UserError as error:
        return f"cannot be derived again: {error}"
    except Exception as error:
        if isinstance(error, MemoryError | BrokenExecutor) or getattr(error, "errno", None):
            raise
        LOG.debug("deriving again", exc_info=True)
        return f"cannot be derived again: {type(error).__name__} ({error})"
