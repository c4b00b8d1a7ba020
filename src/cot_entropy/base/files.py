"""How a run's files are written (whole or not at all) and read (never trusted).

JSON lines are zstd-compressed; a reader names the file and line of what it cannot use.
"""

from __future__ import annotations

import errno
import hashlib
import json
import os
import shutil
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, Final

import zstandard

from cot_entropy.base.errors import DataError, StorageError, storage_error

ZSTD_LEVEL = 9
MAX_LINE_BYTES = 64 * 1024 * 1024
READ_BYTES = 1024 * 1024
PACKED_BYTES = 1024
"""Read at once from a zstd file: at most some 32 MiB unpacked, however hostile the file."""
FULL: Final = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EROFS})
"""Errors of a disk that takes no more."""


def sha256_file(path: Path) -> str:
    """The sha256 of a file's bytes, as 64 hex digits."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


@contextmanager
def atomic(path: Path) -> Iterator[IO[bytes]]:
    """A binary stream whose bytes replace `path` when the block ends, or leave it as it was.

    The bytes are flushed to disk before the rename, so that a crash leaves the old file or the
    new one. Raises StorageError where the disk is full or read-only.
    """
    with space_for(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        descriptor, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
        try:
            with os.fdopen(descriptor, "wb") as stream:
                yield stream
                stream.flush()
                os.fsync(stream.fileno())
            Path(name).chmod(0o644)
            Path(name).replace(path)
        except BaseException:
            Path(name).unlink(missing_ok=True)
            raise


@contextmanager
def space_for(path: Path) -> Iterator[None]:
    """A block that writes `path`; a disk that takes no more is a StorageError that names it."""
    try:
        yield
    except StorageError:
        raise
    except OSError as error:
        if error.errno in FULL:
            raise storage_error(path, error) from None
        raise


def write_text(path: Path, text: str) -> None:
    """Replace `path` by `text` in UTF-8, atomically."""
    with atomic(path) as stream:
        stream.write(text.encode("utf-8"))


def copy_file(source: Path, target: Path) -> None:
    """Replace `target` by the bytes of `source`, atomically."""
    with source.open("rb") as given, atomic(target) as stream:
        shutil.copyfileobj(given, stream)


def write_jsonl(path: Path, records: Iterable[dict[str, Any]]) -> None:
    """Write records as zstd-compressed JSON lines, atomically; NaN and infinity are refused."""
    compressor = zstandard.ZstdCompressor(level=ZSTD_LEVEL, write_checksum=True)
    with atomic(path) as stream, compressor.stream_writer(stream, closefd=False) as packed:
        for record in records:
            packed.write(dump_line(record))


def dump_line(record: dict[str, Any]) -> bytes:
    """One record as a compact JSON line; raises ValueError on NaN or infinity."""
    text = json.dumps(record, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return text.encode("utf-8", errors="surrogatepass") + b"\n"


def read_jsonl(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield (line number from 1, object) of a JSON lines file, zstd if named `.zst`.

    Raises DataError naming file and line where a line is no JSON object or is longer than
    `MAX_LINE_BYTES`, and naming the file where it is torn or damaged.
    """
    try:
        with path.open("rb") as raw:
            for number, line in enumerate(_lines(blocks_of(raw, path), path), start=1):
                if line.strip():
                    yield number, _parse(line, path, number)
    except FileNotFoundError:
        raise DataError(f"{path}: no such file") from None
    except zstandard.ZstdError as error:
        raise DataError(f"{path}: not a whole zstd file ({error}); delete it, run again") from None


def blocks_of(raw: IO[bytes], path: Path) -> Iterator[bytes]:
    """The bytes of an open file in blocks, unpacked if it is named `.zst`; raises ZstdError."""
    return _unpacked(raw) if path.suffix == ".zst" else iter(lambda: raw.read(READ_BYTES), b"")


def _unpacked(raw: IO[bytes]) -> Iterator[bytes]:
    """The decompressed bytes of one zstd frame; raises ZstdError unless it ends with the file."""
    unpacker = zstandard.ZstdDecompressor().decompressobj()
    while not unpacker.eof:
        block = raw.read(PACKED_BYTES)
        if not block:
            raise zstandard.ZstdError("it ends too early")
        yield unpacker.decompress(block)
    if unpacker.unused_data or raw.read(1):
        raise zstandard.ZstdError("it goes on after its end")


def _lines(blocks: Iterator[bytes], path: Path) -> Iterator[bytes]:
    parts: list[bytes] = []
    held = number = 0
    for block in blocks:
        first, *more = block.split(b"\n")
        parts.append(first)
        held += len(first)
        for line in more:
            number += 1
            yield b"".join(parts)
            parts, held = [line], len(line)
        if held > MAX_LINE_BYTES:
            raise DataError(f"{path}:{number + 1}: line longer than {MAX_LINE_BYTES} bytes")
    if held:
        yield b"".join(parts)


def _parse(line: bytes, path: Path, number: int) -> dict[str, Any]:
    try:
        text = line.decode("utf-8", errors="surrogatepass")
        value = parse_json(text.removeprefix("\ufeff") if number == 1 else text)
    except (ValueError, RecursionError) as error:
        raise DataError(f"{path}:{number}: not a JSON line ({error})") from None
    if not isinstance(value, dict):
        raise DataError(f"{path}:{number}: expected a JSON object, got {type(value).__name__}")
    return value


class RepeatedKeyError(ValueError):
    """A JSON object has a key twice: of its two values readers take one or the other."""


def parse_json(text: str | bytes) -> Any:
    """A JSON value; raises ValueError, which is a RepeatedKeyError where a key stands twice."""
    return json.loads(text, object_pairs_hook=_once)


def _once(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        twice = next(key for key, count in Counter(key for key, _ in pairs).items() if count > 1)
        raise RepeatedKeyError(f"key {twice!r:.80} stands twice")
    return found
