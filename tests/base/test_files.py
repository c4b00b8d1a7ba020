"""Files are written whole or not at all, and read with the line that is wrong."""

from pathlib import Path

import pytest

from cot_entropy.base.errors import DataError
from cot_entropy.base.files import atomic, read_jsonl, write_jsonl, write_text


def test_a_failed_write_leaves_the_old_file_and_nothing_else(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    write_text(path, "old")
    with pytest.raises(RuntimeError), atomic(path) as stream:  # noqa: PT012
        stream.write(b"half")
        raise RuntimeError
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_records_survive_the_round_trip(tmp_path: Path) -> None:
    """Also a lone surrogate, which a model may emit inside a JSON escape."""
    path = tmp_path / "a.jsonl.zst"
    records = [{"text": "ünï ✓"}, {"text": "\ud800"}, {"n": 1.5, "none": None}]
    write_jsonl(path, records)
    assert [value for _, value in read_jsonl(path)] == records


@pytest.mark.parametrize("value", [float("nan"), float("inf")])
def test_what_is_no_number_is_refused(tmp_path: Path, value: float) -> None:
    path = tmp_path / "a.jsonl.zst"
    with pytest.raises(ValueError, match="JSON compliant"):
        write_jsonl(path, [{"x": value}])
    assert not path.exists()


def test_a_broken_line_is_named(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text('{"a": 1}\n{"a": \n')
    with pytest.raises(DataError, match=r"a\.jsonl:2: not a JSON line"):
        list(read_jsonl(path))


def test_a_byte_order_mark_is_no_part_of_the_first_line(tmp_path: Path) -> None:
    """Windows editors write one (Unicode 16, 23.8); it stands nowhere but at the start."""
    path = tmp_path / "a.jsonl"
    path.write_bytes(b'\xef\xbb\xbf{"a": 1}\n{"a": 2}\n')
    assert list(read_jsonl(path)) == [(1, {"a": 1}), (2, {"a": 2})]
    path.write_bytes(b'{"a": 1}\n\xef\xbb\xbf{"a": 2}\n')
    with pytest.raises(DataError, match=r"a\.jsonl:2: not a JSON line"):
        list(read_jsonl(path))


def test_a_line_that_is_no_object_is_named(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text("[1]\n")
    with pytest.raises(DataError, match=r":1: expected a JSON object, got list"):
        list(read_jsonl(path))


def test_deep_nesting_is_a_broken_line_not_a_crash(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text("[" * 100_000 + "\n")
    with pytest.raises(DataError, match=r":1: not a JSON line"):
        list(read_jsonl(path))


def test_a_torn_zstd_file_is_named(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl.zst"
    write_jsonl(path, [{"n": n, "text": str(n) * 50} for n in range(2000)])
    path.write_bytes(path.read_bytes()[:-200])
    with pytest.raises(DataError, match="not a whole zstd file"):
        list(read_jsonl(path))


def test_a_file_that_is_not_zstd_is_named(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl.zst"
    path.write_text('{"a": 1}\n')
    with pytest.raises(DataError, match="not a whole zstd file"):
        list(read_jsonl(path))


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="no such file"):
        list(read_jsonl(tmp_path / "none.jsonl"))


def test_a_flipped_bit_is_seen_or_changes_nothing(tmp_path: Path) -> None:
    """Every frame carries a checksum of its content; a few header bits mean nothing."""
    path = tmp_path / "a.jsonl.zst"
    records = [{"n": n} for n in range(50)]
    write_jsonl(path, records)
    content = bytearray(path.read_bytes())
    refused = 0
    for position in range(len(content)):
        damaged = bytearray(content)
        damaged[position] ^= 1
        path.write_bytes(damaged)
        try:
            seen = [value for _, value in read_jsonl(path)]
        except DataError:
            refused += 1
        else:
            assert seen == records
    assert refused > len(content) / 2


def test_bytes_after_the_end_are_seen(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl.zst"
    write_jsonl(path, [{"n": 1}])
    path.write_bytes(path.read_bytes() + b"more")
    with pytest.raises(DataError, match="goes on after its end"):
        list(read_jsonl(path))


def test_a_line_without_end_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("cot_entropy.base.files.MAX_LINE_BYTES", 1000)
    path = tmp_path / "a.jsonl"
    path.write_text('{"a": 1}\n' + "x" * 200_000)
    with pytest.raises(DataError, match=r":2: line longer than 1000 bytes"):
        list(read_jsonl(path))
