"""The report of a run, rendered again by an audit: what was edited, deleted or added is named."""

import base64
import gzip
from pathlib import Path

import pytest
from tests.forge import cover_up, edit_json
from tests.runs import Tiny

from cot_entropy.audit.audit import audit
from cot_entropy.audit.page import OTHER_CODE, same

PAGE, TABLE = "report.html", "tables/forest_h2.csv"


def found(results: Path) -> list[tuple[str, str]]:
    """Check and subject of every finding, the hashes made to fit before."""
    cover_up(results)
    return [(one.check, one.subject) for one in audit(results, jobs=1).findings]


def test_an_unchanged_report_is_rendered_again_and_not_only_hashed(tiny: Tiny) -> None:
    assert (tiny.results / TABLE).is_file()
    report = audit(tiny.results, jobs=1)
    assert report.findings == []
    (hashed,) = [line for line in report.established.files if "by hash only" in line] or [""]
    assert PAGE not in hashed
    assert "tables" not in hashed


def test_the_folders_name_is_no_part_of_it(tiny: Tiny) -> None:
    """An archive may be unpacked, or a folder copied, under any name."""
    assert found(tiny.results.rename(tiny.results.with_name("renamed"))) == []


@pytest.mark.parametrize("name", [PAGE, TABLE])
def test_an_edited_file_is_named(tiny: Tiny, name: str) -> None:
    path = tiny.results / name
    text = path.read_text(encoding="utf-8")
    assert "inconclusive" in text or name == TABLE
    edited = text.replace("inconclusive", "supported", 1) if name == PAGE else f"{text}\n"
    path.write_text(edited, encoding="utf-8")
    assert found(tiny.results) == [("derivation", name)]


@pytest.mark.parametrize("name", [PAGE, TABLE])
def test_a_deleted_file_is_named(tiny: Tiny, name: str) -> None:
    (tiny.results / name).unlink()
    assert found(tiny.results) == [("derivation", name)]


def test_a_table_that_nobody_made_is_named(tiny: Tiny) -> None:
    (tiny.results / "tables/forest_h9.csv").write_text("cell\n")
    assert found(tiny.results) == [("derivation", "tables/forest_h9.csv")]


def test_the_report_of_other_code_is_a_limit_and_no_finding(tiny: Tiny) -> None:
    def other(values: dict) -> None:  # type: ignore[type-arg]
        values["items"]["stage/report"] = "0" * 64

    edit_json(tiny.results / "provenance/run.json", other)
    (tiny.results / PAGE).write_text("<p>another page</p>\n")
    assert PAGE not in {subject for _, subject in found(tiny.results)}
    assert OTHER_CODE in audit(tiny.results, jobs=1).established.files


def block(text: str, *, level: int) -> bytes:
    packed = gzip.compress(text.encode(), level, mtime=0)
    return b'<script id="explorer-index">' + base64.b64encode(packed) + b"</script>"


def test_what_other_releases_write_is_the_same() -> None:
    """Another zlib packs otherwise, another numpy ends a float otherwise."""
    text = '{"entropy":[0.30000000000000004,1.5],"answer":"12"}' * 40
    other = text.replace("0.30000000000000004", "0.3")
    assert block(text, level=1) != block(text, level=9)
    assert same(block(text, level=1), block(text, level=9))
    assert same(block(text, level=9), block(other, level=9))


@pytest.mark.parametrize(("old", "new"), [("0.3,", "0.31,"), ('"12"', '"13"'), ("}", "} ")])
def test_another_value_is_not(old: str, new: str) -> None:
    text = '{"entropy":[0.3,1.5],"answer":"12"}'
    assert not same(block(text, level=9), block(text.replace(old, new), level=9))
    assert not same(text.encode(), text.replace(old, new).encode())


def test_more_than_one_block_in_a_block_is_not_the_same() -> None:
    """What follows the packed text would be read by nobody."""
    packed = gzip.compress(b"{}", 9, mtime=0)
    ours, theirs = (b">" + base64.b64encode(one) + b"<" for one in (packed, packed + b"more"))
    assert not same(ours, theirs)
