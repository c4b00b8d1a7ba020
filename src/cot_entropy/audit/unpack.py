"""Unpacking an archive from a stranger: everything is refused that a run would not have written.

Nothing is written outside the target, and nothing at all stays behind where the archive is
refused: names, kinds and declared sizes are checked before the first byte is written, actual
sizes while they are.
"""

from __future__ import annotations

import os
import shutil
import stat
import struct
import tempfile
import unicodedata
import zipfile
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import IO, Final

from cot_entropy.base.errors import DataError
from cot_entropy.base.files import space_for

CHUNK: Final = 1024 * 1024
END: Final = struct.Struct("<4s4H2LH")
"""End of central directory (APPNOTE 4.3.16)."""
LOCATOR: Final = struct.Struct("<4sLQL")
"""Zip64 locator (APPNOTE 4.3.15)."""
END_64: Final = struct.Struct("<4sQ2H2L4Q")
"""Zip64 end of central directory (APPNOTE 4.3.14)."""
MAX_COMMENT: Final = 0xFFFF
METHODS: Final = frozenset({zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED})
BROKEN: Final = (
    zipfile.BadZipFile,
    zlib.error,
    struct.error,
    NotImplementedError,
    EOFError,
    UnicodeDecodeError,
    OverflowError,
    ValueError,
)
"""What the library raises on bytes that are no zip file."""
MAX_DEPTH: Final = 16
MAX_NAME: Final = 255


@dataclass(frozen=True, kw_only=True)
class Limits:
    """What an archive of a study may hold; a full study is well below all of these."""

    members: int = 20_000
    directory_bytes: int = 32 * 1024 * 1024
    """The zip's own table of contents."""
    member_bytes: int = 8 * 1024**3
    total_bytes: int = 32 * 1024**3
    ratio: int = 200
    """Unpacked size over packed size of members above a megabyte."""


STUDY: Final = Limits()


def unpack(archive: Path, target: Path, *, limits: Limits = STUDY) -> None:
    """Unpack a zip file into a new folder `target`.

    Raises DataError naming the member that no run would have written (a path outside, a link, a
    name twice, encryption), or the limit that is exceeded; `target` then does not exist.
    """
    if target.exists():
        raise DataError(f"{target}: exists; name a new folder")
    target.parent.mkdir(parents=True, exist_ok=True)
    try:
        with archive.open("rb") as stream:
            _check_directory(stream, archive, limits)
            with zipfile.ZipFile(stream) as packed:
                members = packed.infolist()
                files = _checked(members, archive, limits)
                _write(packed, files, archive, target)
    except FileNotFoundError:
        raise DataError(f"{archive}: no such file") from None
    except BROKEN as error:
        raise DataError(f"{archive}: not a whole zip file ({error})") from None


def _check_directory(stream: IO[bytes], archive: Path, limits: Limits) -> None:
    """Refuse a huge table of contents before a library reads it into memory."""
    size = stream.seek(0, os.SEEK_END)
    start = max(0, size - END.size - MAX_COMMENT)
    stream.seek(start)
    tail = stream.read()
    found = tail.rfind(b"PK\x05\x06")
    if found < 0 or len(tail) - found < END.size:
        raise DataError(f"{archive}: not a zip file")
    _, _, _, _, count, length, _, _ = END.unpack_from(tail, found)
    stream.seek(max(0, start + found - LOCATOR.size))
    locator = stream.read(LOCATOR.size)
    if locator.startswith(b"PK\x06\x07"):
        where = LOCATOR.unpack(locator)[2] if len(locator) == LOCATOR.size else size
        if where > size - END_64.size:
            raise DataError(f"{archive}: not a whole zip file (its table of contents lies outside)")
        stream.seek(where)
        fields = END_64.unpack(stream.read(END_64.size))
        count, length = fields[7], fields[8]
    if count > limits.members:
        raise DataError(f"{archive}: {count} members; at most {limits.members} are unpacked")
    if length > limits.directory_bytes:
        raise DataError(
            f"{archive}: table of contents of {length} bytes; at most {limits.directory_bytes}"
        )
    stream.seek(0)


def _checked(
    members: Sequence[zipfile.ZipInfo], archive: Path, limits: Limits
) -> list[tuple[zipfile.ZipInfo, PurePosixPath]]:
    """The regular files among the members, all of whose names and declared sizes are fine."""
    if len(members) > limits.members:
        raise DataError(f"{archive}: {len(members)} members; at most {limits.members} are unpacked")
    files: list[tuple[zipfile.ZipInfo, PurePosixPath]] = []
    taken: set[str] = set()
    for member in members:
        path = _safe_path(member, archive)
        if member.is_dir():
            continue
        _check_member(member, archive, limits)
        folded = _folded(path)
        if folded in taken:
            raise DataError(f"{archive}: `{member.filename!r:.80}` stands twice")
        taken.add(folded)
        files.append((member, path))
    total = sum(member.file_size for member, _ in files)
    if total > limits.total_bytes:
        raise DataError(f"{archive}: unpacks to {total} bytes; at most {limits.total_bytes}")
    for _, path in files:
        if any(_folded(parent) in taken for parent in path.parents):
            raise DataError(f"{archive}: `{path}` lies below a file")
    return files


def _folded(path: PurePosixPath) -> str:
    """One spelling of all that some file system takes for the same name."""
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", str(path)).casefold())


def _safe_path(member: zipfile.ZipInfo, archive: Path) -> PurePosixPath:
    name = member.orig_filename
    parts = name.rstrip("/").split("/")
    hostile = (
        not name
        or not name.isprintable()
        or member.filename != name
        or "\\" in name
        or ":" in name
        or len(parts) > MAX_DEPTH
        or any(part in {"", ".", ".."} or len(part.encode()) > MAX_NAME for part in parts)
    )
    if hostile:
        raise DataError(f"{archive}: member {name!r:.80} has a name that no run writes")
    return PurePosixPath(*parts)


def _check_member(member: zipfile.ZipInfo, archive: Path, limits: Limits) -> None:
    where = f"{archive}: member {member.filename!r:.80}"
    kind = stat.S_IFMT(member.external_attr >> 16)
    if kind not in {0, stat.S_IFREG}:
        raise DataError(f"{where} is a link or a device; only plain files are unpacked")
    if member.flag_bits & 0x1:
        raise DataError(f"{where} is encrypted")
    if member.compress_type not in METHODS:
        raise DataError(f"{where} is packed by method {member.compress_type}; none or deflate only")
    if member.file_size > limits.member_bytes:
        raise DataError(
            f"{where} unpacks to {member.file_size} bytes; at most {limits.member_bytes}"
        )
    if member.file_size > CHUNK and member.file_size > limits.ratio * member.compress_size:
        raise DataError(f"{where} unpacks to over {limits.ratio} times its size: a zip bomb")


def _write(
    packed: zipfile.ZipFile,
    files: Sequence[tuple[zipfile.ZipInfo, PurePosixPath]],
    archive: Path,
    target: Path,
) -> None:
    scratch = Path(tempfile.mkdtemp(dir=target.parent, prefix=f".{target.name}."))
    try:
        for member, path in files:
            destination = scratch.joinpath(*path.parts)
            with space_for(target / path), packed.open(member) as source:
                destination.parent.mkdir(parents=True, exist_ok=True)
                with destination.open("xb") as sink:
                    _copy(source, sink, member, archive)
        scratch.chmod(0o755)
        scratch.rename(target)
    except BaseException:
        shutil.rmtree(scratch, ignore_errors=True)
        raise


def _copy(source: IO[bytes], sink: IO[bytes], member: zipfile.ZipInfo, archive: Path) -> None:
    written = 0
    while chunk := source.read(CHUNK):
        written += len(chunk)
        if written > member.file_size:
            raise DataError(f"{archive}: member {member.filename!r:.80} is larger than it says")
        sink.write(chunk)
    if written != member.file_size:
        raise DataError(f"{archive}: member {member.filename!r:.80} is smaller than it says")
