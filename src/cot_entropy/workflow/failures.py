"""What stopped a run, said again where people look: at the end of Snakemake's output.

Snakemake prints a job's one line of error, and then the job, its command and its log names.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path
from typing import Final

ERROR: Final = "error: "
_LOGS: Final = re.compile(r"^\s+log: (?P<paths>.+) \(check log file\(s\) for error details\)$")


def error_lines(logs: Iterable[Path]) -> list[str]:
    """The errors of the failed jobs that Snakemake's own logs name, each once, in their order.

    A job that was killed has none; its name stands in Snakemake's output.
    """
    found: dict[str, None] = {}
    for log in logs:
        for line in log.read_text(encoding="utf-8").splitlines():
            if named := _LOGS.match(line):
                found |= dict.fromkeys(_errors(named["paths"].split(", ")))
    return list(found)


def _errors(paths: Iterable[str]) -> list[str]:
    return [
        line
        for path in map(Path, paths)
        if path.is_file()
        for line in path.read_text(encoding="utf-8", errors="replace").splitlines()
        if line.startswith(ERROR)
    ]
