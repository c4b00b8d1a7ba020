"""Changes to a finished run: as an accident would make them, and as a careful forger would."""

from __future__ import annotations

import io
import json
import logging
import sys
from collections.abc import Callable
from contextlib import redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest import mock

from tests.runs import finish, further_chains, generations, rescore

from cot_entropy.base.files import read_jsonl, sha256_file, write_jsonl
from cot_entropy.cli import main
from cot_entropy.cli.app import PrintableFormatter
from cot_entropy.formats.ledger import FIRST, LEDGER, line_sha256, read_ledger
from cot_entropy.registration.provenance import (
    FOLDER,
    RUN,
    RunRecord,
    cell_path,
    read_record,
    record_cell,
    seal,
)

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
    """Make provenance, ledger and manifest agree with the files as they are now."""
    for cell in cells:
        record_cell(cell, results=results, out=cell_path(results, cell))
    forge_ledger(results)
    seal(results)


def forge_ledger(results: Path) -> None:
    """Write the ledger anew, as if every file had ended as it is now, and chain it again."""
    path, previous, lines = results / LEDGER, FIRST, []
    for entry in read_ledger(results):
        changes: dict[str, Any] = {"previous": previous}
        if entry.event == "end" and entry.file and (results / entry.file).is_file():
            file = results / entry.file
            changes |= {"sha256": sha256_file(file), "size": file.stat().st_size}
        line = entry.model_copy(update=changes).line()
        lines.append(line)
        previous = line_sha256(line)
    path.write_bytes(b"".join(line + b"\n" for line in lines))


def reanalyse(results: Path) -> None:
    """Analyse and seal again, as if the files had always been so."""
    finish(read_record(results / FOLDER / RUN, RunRecord).configuration, results)


def edit_json(path: Path, change: Callable[[Any], None]) -> None:
    """Change a JSON file in place."""
    values = json.loads(path.read_text())
    change(values)
    path.write_text(json.dumps(values, indent=1) + "\n")


@dataclass(frozen=True)
class Said:
    """What a command printed, and its exit code."""

    code: int
    out: str
    errors: str

    @property
    def differences(self) -> list[str]:
        """The lines of undeclared findings."""
        return [line for line in self.out.splitlines() if line.startswith("difference: ")]


def command(*arguments: object) -> Said:
    """Run `cot-entropy` in this process, through its command line."""
    out, errors = io.StringIO(), io.StringIO()
    handler = logging.StreamHandler(errors)
    handler.setFormatter(PrintableFormatter())
    logger = logging.getLogger("cot_entropy")
    logger.addHandler(handler)
    argv = ["cot-entropy", *map(str, arguments)]
    try:
        with redirect_stdout(out), mock.patch.object(sys, "argv", argv):
            main()
    except SystemExit as end:
        return Said(code=int(end.code or 0), out=out.getvalue(), errors=errors.getvalue())
    finally:
        logger.removeHandler(handler)
    raise AssertionError("main() returned")


def relink(results: Path, cell: str) -> None:
    """Make every header name the files that it is made from as they are now."""
    files = {**generations(cell, results), "self_consistency": further_chains(cell, results)}
    questions = results / f"inputs/{cell.split('/')[1]}.questions.jsonl.zst"
    made_from = {
        "chains": {"questions": questions},
        "prefixes": {"chains": files["chains"]},
        "completions": {"chains": files["chains"], "prefixes": files["prefixes"]},
        "self_consistency": {"reference_chains": files["chains"]},
    }
    for stage, sources in made_from.items():
        hashes = {role: sha256_file(path) for role, path in sources.items()}
        rewrite(files[stage], lambda lines, h=hashes: [{**lines[0], "inputs": h}, *lines[1:]])


def rederive(results: Path, *cells: str) -> None:
    """Score, judge, report, record and seal again what a forger changed, as if it had been so."""
    configuration = read_record(results / FOLDER / RUN, RunRecord).configuration
    for cell in cells:
        relink(results, cell)
        rescore(cell, configuration, results)
    forge_ledger(results)
    reanalyse(results)
