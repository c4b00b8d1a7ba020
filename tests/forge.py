"""Changes to a finished run: as an accident would make them, and as a careful forger would."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from cot_entropy.base.files import read_jsonl, write_jsonl
from cot_entropy.registration.provenance import (
    FOLDER,
    RUN,
    RunRecord,
    cell_path,
    read_record,
    record_cell,
    seal,
)
from runs import finish

Record = dict[str, Any]


def rewrite(path: Path, change: Callable[[list[Record]], list[Record]]) -> None:
    """Replace the lines of a generation file (the header is line 0)."""
    write_jsonl(path, change([value for _, value in read_jsonl(path)]))


def flip_byte(path: Path) -> None:
    """Flip one bit in the middle of a file."""
    raw = bytearray(path.read_bytes())
    raw[len(raw) // 2] ^= 1
    path.write_bytes(bytes(raw))


def cover_up(results: Path, *cells: str) -> None:
    """Make provenance and manifest agree with the files as they are now."""
    for cell in cells:
        record_cell(cell, results=results, out=cell_path(results, cell))
    seal(results)


def reanalyse(results: Path) -> None:
    """Analyse and seal again, as if the files had always been so."""
    finish(read_record(results / FOLDER / RUN, RunRecord).configuration, results)


def edit_json(path: Path, change: Callable[[Any], None]) -> None:
    """Change a JSON file in place."""
    values = json.loads(path.read_text())
    change(values)
    path.write_text(json.dumps(values, indent=1) + "\n")
