"""Hostile archives: each is refused in one line, and leaves nothing behind."""

import stat
import struct
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from cot_entropy.audit.unpack import Limits, unpack
from cot_entropy.base.errors import DataError

SMALL = Limits(
    members=10, directory_bytes=4096, member_bytes=3_000_000, total_bytes=5_000_000, ratio=100
)


def member(name: str, *, mode: int = stat.S_IFREG | 0o644) -> zipfile.ZipInfo:
    info = zipfile.ZipInfo("placeholder")
    info.filename = info.orig_filename = name
    info.external_attr = mode << 16
    return info


def packed(path: Path, *members: tuple[zipfile.ZipInfo | str, bytes]) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as target:
        for info, content in members:
            target.writestr(info, content)
    return path


def refused(archive: Path, folder: Path, message: str, limits: Limits = SMALL) -> None:
    """Unpacking fails with the message, and neither target nor anything else is written."""
    before = sorted(folder.rglob("*"))
    with pytest.raises(DataError, match=message) as error:
        unpack(archive, folder / "inside/target", limits=limits)
    assert "\n" not in str(error.value)
    left = [path for path in sorted(folder.rglob("*")) if path not in before]
    assert left in ([], [folder / "inside"])


def test_a_plain_archive_is_unpacked(tmp_path: Path) -> None:
    archive = packed(tmp_path / "a.zip", ("a/b.txt", b"text"), ("c.txt", b""))
    unpack(archive, tmp_path / "out")
    assert (tmp_path / "out/a/b.txt").read_bytes() == b"text"
    assert (tmp_path / "out/c.txt").read_bytes() == b""


@pytest.mark.parametrize(
    "name",
    [
        "../evil",
        "a/../../evil",
        "/etc/evil",
        "a//b",
        "./a",
        "a/./b",
        "..\\evil",
        "C:evil",
        "a\x00b",
        "a\nb",
        "a\x1b[31m",
        "/".join("d" * 20),
        "n" * 256,
    ],
)
def test_a_path_that_no_run_writes_is_refused(tmp_path: Path, name: str) -> None:
    refused(packed(tmp_path / "a.zip", (member(name), b"x")), tmp_path, "a name that no run writes")


@pytest.mark.parametrize("kind", [stat.S_IFLNK, stat.S_IFIFO, stat.S_IFCHR, stat.S_IFSOCK])
def test_links_and_devices_are_refused(tmp_path: Path, kind: int) -> None:
    archive = packed(tmp_path / "a.zip", (member("link", mode=kind | 0o777), b"/etc/passwd"))
    refused(archive, tmp_path, "link or a device")


@pytest.mark.filterwarnings("ignore:Duplicate name")
@pytest.mark.parametrize("second", ["a.txt", "A.TXT"])
def test_a_name_that_stands_twice_is_refused(tmp_path: Path, second: str) -> None:
    """Upper and lower case are one name on some file systems."""
    refused(packed(tmp_path / "a.zip", ("a.txt", b"1"), (second, b"2")), tmp_path, "stands twice")


def test_a_file_below_a_file_is_refused(tmp_path: Path) -> None:
    refused(packed(tmp_path / "a.zip", ("a", b"1"), ("a/b", b"2")), tmp_path, "below a file")


def test_a_bomb_is_refused_by_its_ratio(tmp_path: Path) -> None:
    """Two million zeros pack to about two thousand bytes."""
    refused(packed(tmp_path / "a.zip", ("zeros", bytes(2_000_000))), tmp_path, "zip bomb")


def test_a_member_over_the_limit_is_refused(tmp_path: Path) -> None:
    refused(packed(tmp_path / "a.zip", ("big", bytes(3_000_001))), tmp_path, "at most 3000000")


def test_many_members_over_the_total_are_refused(tmp_path: Path) -> None:
    members = [(f"part{n}", bytes(1_000_000)) for n in range(6)]
    refused(packed(tmp_path / "a.zip", *members), tmp_path, "at most 5000000")


def test_too_many_members_are_refused(tmp_path: Path) -> None:
    members = [(f"m{n}", b"") for n in range(11)]
    refused(packed(tmp_path / "a.zip", *members), tmp_path, "11 members; at most 10")


def test_a_huge_table_of_contents_is_refused(tmp_path: Path) -> None:
    info = member("a")
    info.comment = b"x" * 60_000
    refused(packed(tmp_path / "a.zip", (info, b"")), tmp_path, "table of contents")


def _edited(path: Path, change: Callable[[bytearray], None]) -> Path:
    raw = bytearray(path.read_bytes())
    change(raw)
    path.write_bytes(bytes(raw))
    return path


def test_a_member_larger_than_it_says_is_refused(tmp_path: Path) -> None:
    """The central directory declares 10 bytes of 1000; the check is on what comes out."""
    archive = packed(tmp_path / "a.zip", ("a", b"y" * 1000))

    def lie(raw: bytearray) -> None:
        at = raw.index(b"PK\x01\x02")
        raw[at + 24 : at + 28] = struct.pack("<L", 10)

    refused(_edited(archive, lie), tmp_path, "not a whole zip file|larger than it says")


def test_an_encrypted_member_is_refused(tmp_path: Path) -> None:
    archive = packed(tmp_path / "a.zip", ("a", b"y"))

    def encrypt(raw: bytearray) -> None:
        at = raw.index(b"PK\x01\x02")
        raw[at + 8] |= 1

    refused(_edited(archive, encrypt), tmp_path, "encrypted")


def test_a_damaged_member_is_refused(tmp_path: Path) -> None:
    archive = packed(tmp_path / "a.zip", ("a", bytes(range(256)) * 10))
    refused(
        _edited(archive, lambda raw: raw.__setitem__(60, raw[60] ^ 0xFF)), tmp_path, "not a whole"
    )


@pytest.mark.parametrize("content", [b"", b"text", b"PK\x05\x06", b"PK\x05\x06" + b"\xff" * 18])
def test_what_is_no_zip_file_is_refused(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "a.zip").write_bytes(content)
    refused(tmp_path / "a.zip", tmp_path, r"a\.zip")


def test_an_existing_folder_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    with pytest.raises(DataError, match="exists"):
        unpack(packed(tmp_path / "a.zip", ("a", b"")), tmp_path / "out")


def test_one_bad_member_leaves_nothing_of_the_good_ones(tmp_path: Path) -> None:
    archive = packed(tmp_path / "a.zip", ("good", b"x"), (member("../evil"), b"x"))
    refused(archive, tmp_path, "a name that no run writes")
