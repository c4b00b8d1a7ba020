"""The command line: parse, call, print. One verb per arrow of the line the data takes.

May import every layer below it.
"""

from __future__ import annotations

import errno
import logging
import sys
import traceback
from pathlib import Path
from typing import Final, NoReturn

from cot_entropy.base.errors import UserError, storage_error
from cot_entropy.base.files import FULL
from cot_entropy.cli import anchoring, generating, judging, registering, scanning
from cot_entropy.cli.app import app
from cot_entropy.engine.orphans import end_with_stage

__all__ = ["anchoring", "app", "generating", "judging", "main", "registering", "scanning"]

# A spawned engine process imports its stage's main script, and so this module, before all else.
end_with_stage()


FAILED: Final = 5
"""Exit code where the machine or this program failed: no statement about what was given."""
NOT_THERE: Final = frozenset(
    {errno.EACCES, errno.EISDIR, errno.ELOOP, errno.ENAMETOOLONG, errno.ENOENT, errno.ENOTDIR}
    | {errno.EPERM}
)
"""Errors of a path that somebody gave."""


def main() -> NoReturn:
    """Run the command; whatever goes wrong is one line and an exit code, never a traceback."""
    debug = "--debug" in sys.argv[1:]
    try:
        app()
        sys.exit(0)
    except Exception as error:
        if debug:
            traceback.print_exc()
        code, message = _outcome(error)
        logging.getLogger("cot_entropy").error("error: %s", message)  # noqa: TRY400
        sys.exit(code)


def _outcome(error: Exception) -> tuple[int, str]:
    """The exit code of an error, and what to say about it."""
    if isinstance(error, UserError):
        return error.exit_code, " ".join(str(error).split())
    if isinstance(error, OSError):
        path = Path(str(error.filename or "standard output"))
        if error.errno in FULL:
            full = storage_error(path, error)
            return full.exit_code, str(full)
        code = UserError.exit_code if error.errno in NOT_THERE else FAILED
        return code, f"{path}: {error.strerror or error}"
    if isinstance(error, MemoryError):
        return FAILED, "too little memory; use fewer --jobs, or another machine"
    what = " ".join(f"{type(error).__name__}: {error}".split())
    return FAILED, f"{what}; this is a fault of cot-entropy, --debug shows where"
