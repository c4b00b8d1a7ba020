"""A run as one RO-Crate that audits clean when unpacked elsewhere."""

import json
import zipfile
from pathlib import Path

import pytest
from tests.forge import flip_byte
from tests.runs import RESULTS, Tiny, generations

from cot_entropy.audit.archive import archive
from cot_entropy.audit.audit import audit
from cot_entropy.audit.unpack import unpack
from cot_entropy.base.errors import DataError
from cot_entropy.base.files import sha256_file


def test_an_archive_audits_clean_in_an_empty_folder(
    tiny: Tiny, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither the project, nor a model, nor a device is there."""
    packed = tmp_path / "out.zip"
    archive(tiny.results, packed)
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    monkeypatch.chdir(elsewhere)
    report = audit(packed, jobs=1)
    assert report.findings == []
    assert report.confirmatory_rows > 0
    assert list(elsewhere.iterdir()) == []


def test_it_is_an_ro_crate_that_describes_every_file(tiny: Tiny, tmp_path: Path) -> None:
    packed, target = tmp_path / "out.zip", tmp_path / "unpacked"
    archive(tiny.results, packed)
    unpack(packed, target)
    graph = json.loads((target / "ro-crate-metadata.json").read_text())["@graph"]
    described = {one["@id"]: one for one in graph if one["@type"] == "File"}
    files = {path.relative_to(target).as_posix() for path in target.rglob("*") if path.is_file()}
    assert described.keys() == files - {"ro-crate-metadata.json"}
    verdicts = described["verdicts.csv"]
    assert verdicts["sha256"] == sha256_file(target / "verdicts.csv")


def test_plan_freeze_deviations_generations_and_provenance_are_in_it(
    tiny: Tiny, tmp_path: Path
) -> None:
    archive(tiny.results, tmp_path / "out.zip")
    names = set(zipfile.ZipFile(tmp_path / "out.zip").namelist())
    registration = {
        f"provenance/registration/{n}" for n in ("plan.yaml", "freeze.json", "deviations.yaml")
    }
    assert registration <= names
    assert {"verdicts.csv", "estimates.csv", "provenance/alpha__sums.json"} <= names
    assert "alpha/sums/registered/registered/completions.jsonl.zst" in names
    assert "alpha/sums/registered/registered/completions.run.json" in names


def test_no_path_of_this_machine_is_in_it(tiny: Tiny, tmp_path: Path) -> None:
    """Model manifests name the model's folder here; they stay behind."""
    (tiny.results / "chains.log").write_text(str(tiny.root))
    archive(tiny.results, tmp_path / "out.zip")
    with zipfile.ZipFile(tmp_path / "out.zip") as packed:
        for name in packed.namelist():
            assert str(tiny.root).encode() not in packed.read(name), name


def test_a_changed_run_is_not_archived(tiny: Tiny, tmp_path: Path) -> None:
    flip_byte(generations("alpha/sums", tiny.results)["chains"])
    with pytest.raises(DataError, match=r"chains\.jsonl\.zst: is not the file that manifest"):
        archive(tiny.results, tmp_path / "out.zip")
    assert not (tmp_path / "out.zip").exists()


def test_an_archive_inside_its_own_results_is_refused(tiny: Tiny) -> None:
    with pytest.raises(DataError, match="inside the results"):
        archive(tiny.results, tiny.results / "out.zip")
    assert RESULTS.name == tiny.results.name


def test_an_archive_in_the_place_of_a_folder_is_refused(tiny: Tiny, tmp_path: Path) -> None:
    (tmp_path / "kept").mkdir()
    with pytest.raises(DataError, match="kept: is a folder; name the zip file to write"):
        archive(tiny.results, tmp_path / "kept")
    assert list(tmp_path.glob(".*")) == []


def test_an_archive_overwrites_nothing(tiny: Tiny, tmp_path: Path) -> None:
    (tmp_path / "kept.zip").write_text("mine")
    with pytest.raises(DataError, match=r"kept\.zip: is there already; remove it first"):
        archive(tiny.results, tmp_path / "kept.zip")
    assert (tmp_path / "kept.zip").read_text() == "mine"
