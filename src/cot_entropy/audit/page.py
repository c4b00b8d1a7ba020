"""The report rendered again from a run's own files, and compared with the stored one.

Byte for byte, the same code and releases give the same files. Where the bytes differ, what is
left to other releases is no difference: how the explorer's blocks are compressed, and floats
within the tolerance of every table.
"""

from __future__ import annotations

import base64
import binascii
import math
import re
import zlib
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Final

from cot_entropy.audit.findings import Finding, problem_of
from cot_entropy.audit.table_diff import ABSOLUTE_TOLERANCE, RELATIVE_TOLERANCE
from cot_entropy.base.digest import stage_digest
from cot_entropy.plan.model import Plan
from cot_entropy.registration.items import Items
from cot_entropy.registration.provenance import recorded
from cot_entropy.report.figure import TABLES
from cot_entropy.report.page import write_report

PAGE: Final = "report.html"
OTHER_CODE: Final = (
    f"{PAGE} and {TABLES}/: written by other code than this (stage digest report), "
    "checked by hash only"
)
PACKED: Final = re.compile(rb">(H4sI[A-Za-z0-9+/]+=*)<")
"""A block of the explorer: gzip in base64."""
MAX_BLOCK: Final = 1 << 28
"""Of a page that this code has just written."""
LONGER: Final = 8
"""So much a page can grow where other digits end its floats: 0.3 as 0.30000000000000004."""
FLOAT: Final = re.compile(rb"((?<!\d)\d+\.\d+(?:e[+-]?\d+)?|(?<!\d)\d+e-\d+)")
"""Only from where a run of digits begins, so that a long one is read once."""


def written_by_this_code(items: Items, plan: Plan) -> bool:
    """Whether the installed code is what a run of this plan recorded for its report."""
    return items.get("stage/report") == stage_digest("report", plan.rules())


def page_findings(
    results: Path, *, plan: Path, scratch: Path, done: Callable[[str], None]
) -> Iterator[Finding]:
    """Every file of the report that is not what the run's files give.

    The page and its tables are made below `scratch`, from `results` and the registration that
    `plan` stands in; `done` is told each file that was compared.
    """

    def render() -> str:
        write_report(results, plan=plan, out=scratch / PAGE)
        return ""

    if problem := problem_of(render):
        yield _finding(PAGE, problem.replace(f"{results}/", ""))
        return
    stored, again = _files(results), _files(scratch)
    for name in sorted(stored | again):
        done(name)
        if name not in again:
            yield _finding(name, "is no file of the report that this run's files give")
        elif name not in stored:
            yield _finding(name, "is missing; the report of this run's files has it")
        elif not same((results / name).read_bytes(), (scratch / name).read_bytes()):
            yield _finding(name, "is not what this run's files give when rendered again")


def same(stored: bytes, again: bytes) -> bool:
    """Whether two files are equal, or differ in compression and the last digits of floats only."""
    if stored == again:
        return True
    own = [_unpacked(block, limit=MAX_BLOCK) for block in PACKED.finditer(again)]
    largest = max(map(len, own), default=0)
    if len(PACKED.findall(stored)) != len(own):
        return False
    parts = [
        FLOAT.split(PACKED.sub(partial(_unpacked, limit=min(LONGER * largest + 1, MAX_BLOCK)), one))
        for one in (stored, again)
    ]
    return len(parts[0]) == len(parts[1]) and all(
        first == second or (index % 2 == 1 and _close(first, second))
        for index, (first, second) in enumerate(zip(*parts, strict=True))
    )


def _close(first: bytes, second: bytes) -> bool:
    return math.isclose(
        float(first), float(second), rel_tol=RELATIVE_TOLERANCE, abs_tol=ABSOLUTE_TOLERANCE
    )


def _unpacked(block: re.Match[bytes], *, limit: int) -> bytes:
    """The text of a block between marks; what is no whole block, or too large, as it stands."""
    stream = zlib.decompressobj(wbits=31)
    try:
        content = stream.decompress(base64.b64decode(block[1], validate=True), limit)
    except (binascii.Error, zlib.error):
        return block[0]
    whole = stream.eof and not stream.unused_data
    return b">packed " + content + b"<" if whole else block[0]


def _files(folder: Path) -> set[str]:
    """The page and what stands in the folder of its tables, by path below `folder`."""
    found = [folder / PAGE, *(folder / TABLES).rglob("*")]
    return {path.relative_to(folder).as_posix() for path in found if recorded(path)}


def _finding(name: str, detail: str) -> Finding:
    return Finding(check="derivation", subject=name, detail=detail)
