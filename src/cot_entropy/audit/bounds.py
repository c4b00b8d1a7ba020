"""Names and sizes of a received run, checked before anything in it is read or derived.

A results folder comes from anybody: what its records name must stay inside it, and what its
packed files hold is bounded by its own questions and settings, so that no small file costs much
time or memory.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path, PurePosixPath
from typing import Final

import pyarrow as pa
import pyarrow.parquet as pq
import zstandard

from cot_entropy.base.errors import DataError, UserError
from cot_entropy.base.files import MAX_LINE_BYTES, blocks_of
from cot_entropy.formats.records import Header, read_header
from cot_entropy.registration.provenance import (
    GENERATIONS,
    TRAJECTORIES,
    CellRecord,
    Manifest,
)
from cot_entropy.study.config import Study

MAX_QUESTIONS: Final = 1_000_000
RATIO: Final = 1000
"""Unpacked over packed size; real generations reach about 15."""
SMALL_BYTES: Final = 16 * 1024 * 1024
"""Below this nothing is refused for its ratio."""
RECORD_BYTES: Final = 1024 * 1024
"""What one record may hold beside its tokens: a question, ids, seeds."""
TOKEN_BYTES: Final = 256
"""Id, log-probability, end and text of one token, as JSON."""
TOP_BYTES: Final = 16
"""One further log-probability."""
SIDE_BYTES: Final = 16 * 1024 * 1024
"""Of a side file: attempts, summary, table of a cell."""
VALUES: Final = 100_000
"""Of one column for one question of a Parquet file."""


def check_names(results: Path, cells: Iterable[CellRecord], manifest: Manifest) -> None:
    """Raise DataError where a record names a file outside the folder, or of another cell."""
    for name in manifest.files:
        _check_path(results, name, "manifest.json")
    for cell in cells:
        for name in (*cell.files, *cell.headers, *cell.attempts):
            where = f"provenance of {cell.cell}"
            _check_path(results, name, where)
            known = name.rsplit("/", 1)[-1] in {*GENERATIONS, TRAJECTORIES}
            if not name.startswith(f"{cell.cell}/") or not known:
                raise DataError(f"{results}: {where} names {name!r:.200}, which is no file of it")


def check_sizes(results: Path, cells: Sequence[CellRecord], study: Study) -> None:
    """Raise DataError where a file holds more than its questions and settings can give.

    What cannot be unpacked at all is left to the checks that name it.
    """
    asked = {
        name: _lines_within(
            results / "inputs" / f"{name}.questions.jsonl.zst",
            lines=(spec.questions or MAX_QUESTIONS) + 1,
            line_bytes=RECORD_BYTES,
        )
        for name, spec in study.datasets.items()
    }
    for cell in cells:
        questions = asked[cell.cell.split("/")[1]] - 1
        # twice: a record too many is a difference, and named as one
        lines = 2 * questions + 1 if questions > 0 else MAX_QUESTIONS
        for path in sorted((results / cell.cell).rglob("*")):
            if path.name in GENERATIONS:
                size = _record_bytes(path, study)
                _lines_within(path, lines=lines, line_bytes=size)
            elif path.suffix == ".parquet":
                _rows_within(path, rows=lines)
            elif path.is_file() and not path.name.endswith(".zst"):
                _check_size(path)


def _check_path(results: Path, name: str, where: str) -> None:
    path = PurePosixPath(name)
    plain = name == path.as_posix() and name.isprintable() and "\\" not in name
    if path.is_absolute() or ".." in path.parts or not path.parts or not plain:
        raise DataError(f"{results}: {where} names {name!r:.200}, which is no path inside it")
    if not (results / path).resolve().is_relative_to(results.resolve()):
        raise DataError(f"{results}: {where} names {name!r:.200}, which a link leads outside")


def _record_bytes(path: Path, study: Study) -> int:
    """What one line of a generation file can need, by the settings in its header."""
    try:
        header = read_header(path)
    except UserError:  # named by the checks that read it
        return MAX_LINE_BYTES
    tokens = _tokens(header, study)
    top = TOP_BYTES * header.engine.settings.top_logprobs
    prompt = TOP_BYTES * header.engine.settings.max_model_len
    return min(MAX_LINE_BYTES, RECORD_BYTES + prompt + tokens * (TOKEN_BYTES + top))


def _tokens(header: Header, study: Study) -> int:
    if header.stage == "completions" and header.probe:
        prefixes = (header.probe.cap or header.chain.budget) + 1
        return prefixes * header.probe.m * header.probe.budget
    if header.stage == "self_consistency":
        return header.chain.budget * (study.baselines.self_consistency or 1)
    return header.chain.budget


def _lines_within(path: Path, *, lines: int, line_bytes: int) -> int:
    """The lines of a packed file, counted without keeping one; 0 where it cannot be unpacked."""
    if not path.is_file():
        return 0
    most = SMALL_BYTES + RATIO * path.stat().st_size
    total = count = held = 0
    try:
        with path.open("rb") as raw:
            for block in blocks_of(raw, path):
                first, *more = block.split(b"\n")
                total, count = total + len(block), count + len(more)
                longest = max([held + len(first), *map(len, more)])
                held = len(more[-1]) if more else held + len(first)
                _refuse(path, "lines", count, lines, "its questions give")
                _refuse(path, "bytes in a line", longest, line_bytes, "its settings give")
                _refuse(path, "bytes unpacked", total, most, f"{RATIO} times its size")
    except zstandard.ZstdError:
        return 0
    return count


def _rows_within(path: Path, *, rows: int) -> None:
    try:
        with pq.ParquetFile(path) as file:
            groups = [file.metadata.row_group(n) for n in range(file.metadata.num_row_groups)]
    except (OSError, pa.ArrowException):
        return
    columns = [group.column(n) for group in groups for n in range(group.num_columns)]
    unpacked = sum(column.total_uncompressed_size for column in columns)
    most = SMALL_BYTES + RATIO * path.stat().st_size
    _refuse(path, "rows", sum(group.num_rows for group in groups), rows, "its questions give")
    for column in columns:
        _refuse(path, "values in a column", column.num_values, rows * VALUES, "its questions give")
    _refuse(path, "bytes unpacked", unpacked, most, f"{RATIO} times its size")


def _check_size(path: Path) -> None:
    _refuse(path, "bytes", path.stat().st_size, SIDE_BYTES, "any such file")


def _refuse(path: Path, what: str, found: int, most: int, why: str) -> None:
    if found > most:
        raise DataError(f"{path}: over {most} {what}, more than {why}: refused")
