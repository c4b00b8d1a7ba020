"""How a run's files are written (whole or not at all) and read (never trusted).

JSON lines are zstd-compressed; a reader names the file and line of what it cannot use.
"""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

import zstandard

from cot_entropy.base.errors import DataError

ZSTD_LEVEL = 9
MAX_LINE_BYTES = 64 * 1024 * 1024
READ_BYTES = 1024 * 1024
PACKED_BYTES = 1024
"""Read at once from a zstd file: at most some 32 MiB unpacked, however hostile the file."""


def sha256_file(path: Path) -> str:
    """The sha256 of a file's bytes, as 64 hex digits."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


@contextmanager
def atomic(path: Path) -> Iterator[IO[bytes]]:
    """A binary stream whose bytes replace `path` when the block ends, or leave it as it was.

    The bytes are flushed to disk before the rename, so that a crash leaves the old file or the
    new one.
    """
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


def write_text(path: Path, text: str) -> None:
    """Replace `path` by `text` in UTF-8, atomically."""
    with atomic(path) as stream:
        stream.write(text.encode("utf-8"))


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
            packed = path.suffix == ".zst"
            blocks = _unpacked(raw) if packed else iter(lambda: raw.read(READ_BYTES), b"")
            for number, line in enumerate(_lines(blocks, path), start=1):
                if line.strip():
                    yield number, _parse(line, path, number)
    except FileNotFoundError:
        raise DataError(f"{path}: no such file") from None
    except zstandard.ZstdError as error:
        raise DataError(f"{path}: not a whole zstd file ({error}); delete it, run again") from None


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
    rest = b""
    number = 0
    for block in blocks:
        *whole, rest = (rest + block).split(b"\n")
        for line in whole:
            number += 1
            yield line
        if len(rest) > MAX_LINE_BYTES:
            raise DataError(f"{path}:{number + 1}: line longer than {MAX_LINE_BYTES} bytes")
    if rest:
        yield rest


def _parse(line: bytes, path: Path, number: int) -> dict[str, Any]:
    try:
        text = line.decode("utf-8", errors="surrogatepass")
        value = json.loads(text.removeprefix("\ufeff") if number == 1 else text)
    except (ValueError, RecursionError) as error:
        raise DataError(f"{path}:{number}: not a JSON line ({error})") from None
    if not isinstance(value, dict):
        raise DataError(f"{path}:{number}: expected a JSON object, got {type(value).__name__}")
    return value
