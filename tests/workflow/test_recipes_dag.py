"""A finished study has nothing to do when the how-to pages' rules are added to the code."""

import shutil
from pathlib import Path

import pytest
from tests.docs.fences import ROOT
from tests.docs.recipes import RECIPES, follow
from tests.workflow.conftest import Project


def test_rules_that_no_block_names_rerun_nothing(
    finished: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every page at once; the study's workflow runs with that copy of the package."""
    package = tmp_path / "src/cot_entropy"
    shutil.copytree(ROOT / "src/cot_entropy", package, ignore=shutil.ignore_patterns("__pycache__"))
    for page in RECIPES:
        follow(page, package)
    monkeypatch.setenv("PYTHONPATH", str(package.parent))
    monkeypatch.setenv("PYTHONDONTWRITEBYTECODE", "1")
    assert "Nothing to be done" in finished.snakemake("-n").stdout


def test_another_fill_of_the_device_reruns_nothing(finished: Project) -> None:
    """Less memory, smaller batches: a finished cell stays finished."""
    study = finished.read()
    changed = {**study["engine"], "memory_share": 0.5, "max_num_seqs": 2, "in_process": True}
    finished.write({**study, "engine": changed})
    again = finished.planned().keys()
    assert "record_run" in again
    assert not again & {"model", "questions", "chains", "prefixes", "completions", "score"}
