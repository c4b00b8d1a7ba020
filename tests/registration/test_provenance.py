"""What a run writes down about itself."""

import json
import platform
from pathlib import Path

import pytest
from tests.runs import Tiny

from cot_entropy.base.files import sha256_file
from cot_entropy.formats.attempts import attempt, read_attempts
from cot_entropy.registration.provenance import CellRecord, RunRecord, read_record, result_files


def test_a_cell_names_all_that_made_it(tiny: Tiny) -> None:
    record = read_record(tiny.results / "provenance/alpha__sums.json", CellRecord)
    header = record.headers["alpha/sums/registered/registered/completions.jsonl.zst"]
    assert (header.engine.name, header.model.name, header.dataset.name) == (
        "scripted",
        "alpha",
        "sums",
    )
    assert record.headers.keys() <= record.files.keys()


def test_the_chains_to_vote_with_stand_in_the_cells_record(tiny: Tiny) -> None:
    """With hash and header, as every other generation."""
    record = read_record(tiny.results / "provenance/alpha__sums.json", CellRecord)
    name = "alpha/sums/registered/self_consistency.jsonl.zst"
    assert record.files[name] == sha256_file(tiny.results / name)
    assert record.headers[name].stage == "self_consistency"


def test_a_run_names_its_libraries_and_kind_of_machine(tiny: Tiny) -> None:
    record = read_record(tiny.results / "provenance/run.json", RunRecord)
    assert {"numpy", "scipy", "pandas", "pyarrow"} <= record.packages.keys()
    assert record.host.system == f"{platform.system()} {platform.machine()}"


def test_no_name_of_this_machine_is_recorded(tiny: Tiny) -> None:
    for path in (tiny.results / "provenance").rglob("*.json"):
        text = path.read_text()
        assert str(tiny.root) not in text
        assert platform.node() not in text


def test_start_and_end_of_an_attempt_are_noted(tmp_path: Path) -> None:
    out = tmp_path / "chains.jsonl.zst"
    with attempt(out):
        pass
    (noted,) = read_attempts(out)
    assert noted.ended is not None
    assert noted.started <= noted.ended


def test_a_killed_attempt_has_no_end(tmp_path: Path) -> None:
    out = tmp_path / "chains.jsonl.zst"
    with pytest.raises(KeyboardInterrupt), attempt(out):
        raise KeyboardInterrupt
    with attempt(out):
        pass
    killed, whole = read_attempts(out)
    assert killed.ended is None
    assert whole.ended is not None


def test_attempts_stand_in_the_cells_record(tiny: Tiny) -> None:
    record = json.loads((tiny.results / "provenance/alpha__sums.json").read_text())
    assert record["attempts"].keys() == record["headers"].keys()


def test_what_a_scan_works_with_is_no_result(tmp_path: Path) -> None:
    """Its replies' cache and Scout's files, which name folders here; its judgements are one."""
    kept = tmp_path / "consistency/judge/m/d/judgements.jsonl.zst"
    for path in (
        kept,
        kept.with_name("cache") / "ab/1.json",
        kept.with_name("scans") / "_scan.json",
    ):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("{}")
    assert result_files(tmp_path) == [kept]
