"""The reference archive audits clean, with the code of the commit that it names."""

import json
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
ARCHIVE = ROOT / "results/demo.zip"
FREEZE = "provenance/registration/freeze.json"
MEGABYTES = 8

needs_archive = pytest.mark.skipif(not ARCHIVE.exists(), reason="make reference writes it")


@needs_archive
def test_it_is_small_enough_for_a_repository() -> None:
    assert ARCHIVE.stat().st_size < MEGABYTES * 1_000_000


@needs_archive
def test_it_audits_clean_by_the_code_of_its_commit(tmp_path: Path) -> None:
    """Confirmatory for its own plan, and nothing differs."""
    with zipfile.ZipFile(ARCHIVE) as packed:
        commit = json.loads(packed.read(FREEZE))["commit"]
    code = tmp_path / "code"
    known = subprocess.run(
        ["git", "-C", ROOT, "worktree", "add", "--detach", code, commit],
        capture_output=True,
        text=True,
        check=False,
    )
    if known.returncode:
        pytest.skip(f"a shallow clone without the commit {commit[:12]}")
    try:
        main = "from cot_entropy.cli import main; main()"
        done = subprocess.run(
            [sys.executable, "-c", main, "audit", "--json", str(ARCHIVE)],
            cwd=code,
            env={**os.environ, "PYTHONPATH": str(code / "src")},
            capture_output=True,
            text=True,
            check=False,
        )
    finally:
        subprocess.run(["git", "-C", ROOT, "worktree", "remove", "--force", code], check=True)
    report = json.loads(done.stdout)
    assert report["findings"] == []
    assert done.returncode == 0
    assert report["confirmatory_rows"] > 0
