"""The command line: parse, call, print. One verb per arrow of the line the data takes.

May import every layer below it.
"""

from __future__ import annotations

import logging
import sys
from typing import NoReturn

from cot_entropy.base.errors import UserError
from cot_entropy.cli import anchoring, generating, judging, registering, scanning
from cot_entropy.cli.app import app
from cot_entropy.engine.orphans import end_with_stage

__all__ = ["anchoring", "app", "generating", "judging", "main", "registering", "scanning"]

# A spawned engine process imports its stage's main script, and so this module, before all else.
end_with_stage()


def main() -> NoReturn:
    """Run the command; a user's error is one line and an exit code, never a traceback."""
    debug = "--debug" in sys.argv[1:]
    try:
        app()
        sys.exit(0)
    except (UserError, OSError) as error:
        if debug:
            raise
        logging.getLogger("cot_entropy").error("error: %s", _one_line(error))  # noqa: TRY400
        sys.exit(error.exit_code if isinstance(error, UserError) else 1)


def _one_line(error: UserError | OSError) -> str:
    if isinstance(error, OSError) and error.filename is not None:
        return f"{error.filename}: {error.strerror}"
    return " ".join(str(error).split())
