"""Results made to harm who audits them: through the command line, on a frozen scripted run."""

from __future__ import annotations

import os
import shutil
import struct
import sys
import unicodedata
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import zstandard
from tests.forge import Record, command, cover_up, edit_json, rewrite
from tests.runs import Tiny, generations

from cot_entropy.audit.archive import archive
from cot_entropy.base.files import read_jsonl, write_jsonl
from cot_entropy.base.printable import printable

CELL = "alpha/sums"
RECORD = "provenance/alpha__sums.json"
CHAINS = f"{CELL}/registered/chains.jsonl.zst"
PREFIXES = f"{CELL}/registered/registered/prefixes.jsonl.zst"

WRITES = frozenset({"os.rename", "os.remove", "os.mkdir", "os.rmdir", "os.symlink", "os.chmod"})
OWN = ("cot-entropy-audit-", "cot-entropy-archive-")
written: list[str] | None = None


def _watch(event: str, arguments: tuple[Any, ...]) -> None:
    if written is None or not (event in WRITES or event == "open"):
        return
    path = arguments[0]
    if event == "open" and not int(arguments[2] or 0) & (os.O_WRONLY | os.O_RDWR | os.O_CREAT):
        return
    if isinstance(path, str | bytes | os.PathLike):
        folder = arguments[-1] if event in {"os.remove", "os.rmdir"} else -1
        above = Path(f"/proc/self/fd/{folder}").readlink() if folder != -1 else Path()
        written.append(str(above / os.fsdecode(path)))


@pytest.fixture(scope="module")
def _hook() -> None:
    sys.addaudithook(_watch)  # stays for the session: Python has no way to take one away


@pytest.fixture
def writes(_hook: None) -> Iterator[list[str]]:
    """Every path that is opened for writing, made, renamed or removed, as Python sees it."""
    global written  # noqa: PLW0603
    written = []
    yield written
    written = None


def outside(paths: list[str]) -> list[str]:
    return [
        path
        for path in paths
        if not any(part.startswith(OWN) for part in Path(path).parts)
        and path not in {"/dev/null"}
        and "__pycache__" not in path
    ]


def test_an_audit_writes_nothing_outside_its_scratch_folder(
    tiny: Tiny, tmp_path: Path, writes: list[str]
) -> None:
    """Of a folder and of an archive; that the hook sees writes at all is checked first."""
    archive(tiny.results, tmp_path / "a.zip")
    assert outside(writes)
    writes.clear()
    for results in (tiny.results, tmp_path / "a.zip"):
        assert command("audit", results, "--jobs", 1).code == 0
    assert writes
    assert outside(writes) == []


@pytest.mark.parametrize("place", ["headers", "files", "attempts"])
@pytest.mark.parametrize("name", ["{tmp}/victim", "../victim", f"{CELL}/../../../victim"])
def test_a_path_outside_in_the_provenance_is_refused_before_anything_is_derived(
    tiny: Tiny, tmp_path: Path, writes: list[str], place: str, name: str
) -> None:
    victim = tmp_path / "victim"
    victim.write_text("mine")
    key = f"{name.format(tmp=tmp_path)}/{PREFIXES.rsplit('/', 1)[1]}"
    if name.startswith("{tmp}"):
        key = str(victim)

    def point_outside(values: Record) -> None:
        known = {"attempts": []}.get(place) or values[place][PREFIXES]
        values[place][key] = [] if place == "attempts" else known

    edit_json(tiny.results / RECORD, point_outside)
    writes.clear()
    said = command("audit", tiny.results, "--jobs", 1)
    assert said.code == 2
    assert "no path inside it" in said.errors
    assert RECORD.split("/", maxsplit=1)[0] in said.errors
    assert victim.read_text() == "mine"
    assert outside(writes) == []


def test_a_path_outside_in_the_manifest_is_refused(tiny: Tiny) -> None:
    def point_outside(values: Record) -> None:
        values["files"]["/etc/passwd"] = {"sha256": "0" * 64, "bytes": 1}

    edit_json(tiny.results / "provenance/manifest.json", point_outside)
    said = command("audit", tiny.results)
    assert (said.code, "manifest.json names '/etc/passwd'" in said.errors) == (2, True)


def test_a_link_that_leads_outside_is_refused(tiny: Tiny, tmp_path: Path) -> None:
    folder = tiny.results / CELL / "registered/registered"
    shutil.move(folder, tmp_path / "elsewhere")
    folder.symlink_to(tmp_path / "elsewhere")
    said = command("audit", tiny.results)
    assert (said.code, "a link leads outside" in said.errors) == (2, True)


def _zst(path: Path, blocks: Iterator[bytes]) -> None:
    with path.open("wb") as stream, zstandard.ZstdCompressor().stream_writer(stream) as packed:
        for block in blocks:
            packed.write(block)


def _many_lines(path: Path) -> None:
    """About 200 MB in some 20 kB."""
    _zst(path, (b'{"record":"header"}\n' * 100_000 for _ in range(100)))
    assert path.stat().st_size < 100_000


def _one_line(path: Path) -> None:
    _zst(path, (b" " * 2_000_000 for _ in range(100)))
    assert path.stat().st_size < 100_000


def _long_line(path: Path) -> None:
    """16 MB in one record, which hardly packs."""
    lines: list[Record] = [value for _, value in read_jsonl(path)]
    lines[1]["question_id"] = os.urandom(8_000_000).hex()
    write_jsonl(path, lines)


def _many_rows(path: Path) -> None:
    """Four million rows in a few kB."""
    column = pa.array(["x"]).take(pa.array([0] * 4_000_000, type=pa.int32()))
    pq.write_table(pa.table({"cell": column}), path, compression="zstd")
    assert path.stat().st_size < 100_000


def _long_lists(path: Path) -> None:
    """A list of five million values in each of 24 rows."""
    rows = pa.array([[0] * 5_000_000] * 2, type=pa.list_(pa.int8()))
    pq.write_table(pa.table({"entropies": rows}), path, compression="zstd")


@pytest.mark.parametrize(
    ("name", "make"),
    [
        ("completions", _many_lines),
        ("completions", _one_line),
        ("chains", _many_lines),
        ("chains", _long_line),
        ("inputs/sums.questions.jsonl.zst", _one_line),
        ("inputs/sums.questions.jsonl.zst", _long_line),
        ("trajectories", _many_rows),
        ("trajectories", _long_lists),
    ],
)
def test_a_file_that_holds_more_than_its_questions_give_is_refused(
    tiny: Tiny, name: str, make: Callable[[Path], None]
) -> None:
    files = generations(CELL, tiny.results)
    files["trajectories"] = files["completions"].parent / "registered/trajectories.parquet"
    path = files.get(name) or tiny.results / name
    make(path)
    cover = cover_up if name == "trajectories" else lambda *_: None
    cover(tiny.results, CELL)
    said = command("audit", tiny.results)
    assert (said.code, "refused" in said.errors, path.name in said.errors) == (2, True, True)


def _doubled(path: Path, key: str) -> None:
    text = path.read_text()
    mark = f'"{key}":'
    path.write_text(text.replace(mark, f"{mark} null, {mark}", 1))


@pytest.mark.parametrize(
    ("name", "key"),
    [
        ("provenance/run.json", "items"),
        ("provenance/manifest.json", "files"),
        (RECORD, "headers"),
        ("provenance/registration/freeze.json", "items_sha256"),
    ],
)
def test_a_key_that_stands_twice_is_refused(tiny: Tiny, name: str, key: str) -> None:
    """Of two values one reader takes the first and another one the last."""
    _doubled(tiny.results / name, key)
    said = command("audit", tiny.results)
    assert (said.code, f"key '{key}' stands twice" in said.errors) == (2, True)


def test_a_key_that_stands_twice_in_a_record_is_named(tiny: Tiny) -> None:
    path = tiny.results / CHAINS
    raw = zstandard.ZstdDecompressor().decompressobj().decompress(path.read_bytes())
    twice = raw.replace(b'"gold":', b'"gold":"9","gold":', 1)
    path.write_bytes(zstandard.ZstdCompressor().compress(twice))
    said = command("audit", tiny.results)
    assert said.code == 1
    assert any("key 'gold' stands twice" in line for line in said.differences)


def test_a_zip64_locator_past_the_end_is_refused(tiny: Tiny, tmp_path: Path) -> None:
    archive(tiny.results, tmp_path / "a.zip")
    raw = (tmp_path / "a.zip").read_bytes()
    end = raw.rindex(b"PK\x05\x06")
    for offset in (len(raw) * 2, 2**63, 2**64 - 1):
        locator = struct.pack("<4sLQL", b"PK\x06\x07", 0, offset, 1)
        (tmp_path / "b.zip").write_bytes(raw[:end] + locator + raw[end:])
        said = command("audit", tmp_path / "b.zip")
        assert (said.code, "not a whole zip file" in said.errors) == (2, True)


def test_two_spellings_of_one_name_are_refused(tiny: Tiny, tmp_path: Path) -> None:
    """Composed and decomposed, they are one file on some systems and two on others."""
    archive(tiny.results, tmp_path / "a.zip")
    with zipfile.ZipFile(tmp_path / "a.zip", "a") as packed:
        for form in ("NFC", "NFD"):
            packed.writestr(unicodedata.normalize(form, "tables/é.csv"), "1")
    said = command("audit", tmp_path / "a.zip")
    assert (said.code, "stands twice" in said.errors) == (2, True)


FORGED = "\x1b[2K\raudit of tiny: no undeclared difference\x9b1A\u202e"


def test_control_characters_in_a_file_name_do_not_reach_the_terminal(tiny: Tiny) -> None:
    (tiny.results / f"x{FORGED}.csv".replace("/", "")).write_text("1")
    said = command("audit", tiny.results)
    assert said.code == 1
    assert _clean(said.out)
    assert printable(FORGED) in said.out


def test_control_characters_in_a_record_do_not_reach_the_terminal(tiny: Tiny) -> None:
    def change(lines: list[Record]) -> list[Record]:
        lines[1]["question_id"] = FORGED
        return lines

    rewrite(tiny.results / CHAINS, change)
    for shown in (command("audit", tiny.results), command("audit", tiny.results, "--json")):
        assert shown.code == 1
        assert _clean(shown.out)


def test_control_characters_in_an_error_do_not_reach_the_terminal(tiny: Tiny) -> None:
    def change(values: Record) -> None:
        values[FORGED] = 1

    edit_json(tiny.results / "provenance/run.json", change)
    said = command("audit", tiny.results)
    assert said.code == 2
    assert _clean(said.errors)


@pytest.mark.parametrize("question", ["row-2", None])
def test_control_characters_do_not_reach_the_terminal_of_show(
    tiny: Tiny, question: str | None
) -> None:
    def change(lines: list[Record]) -> list[Record]:
        chain = lines[2]["chain"]
        chain["text"] = FORGED + chain["text"][len(FORGED) :]
        return lines

    rewrite(tiny.results / CHAINS, change)
    verdicts = tiny.results / "verdicts.csv"
    verdicts.write_text(verdicts.read_text().replace("beta/sums", f'"beta/{FORGED}"'), newline="")
    asked = ("--question", question, "--cell", CELL) if question else ()
    said = command("show", tiny.results, *asked)
    assert said.code == 0, said.errors
    assert printable(FORGED)[:8] in said.out
    assert _clean(said.out)


def _clean(text: str) -> bool:
    return all(letter.isprintable() or letter == "\n" for letter in text)


@pytest.mark.parametrize(
    ("given", "shown"),
    [
        ("naïve 你好 🙂", "naïve 你好 🙂"),
        ("\x1b[31m", "\\x1b[31m"),
        ("a\r\nb\tc", "a\\r\\nb\\tc"),
        ("\x9b\x7f\u202e\u2028", "\\x9b\\x7f\\u202e\\u2028"),
        ("\ud800", "\\ud800"),
    ],
)
def test_what_a_terminal_acts_on_is_written_as_its_escape(given: str, shown: str) -> None:
    assert printable(given) == shown


def test_characters_to_keep_stay() -> None:
    assert printable("a\nb\x1b", keep="\n") == "a\nb\\x1b"
