"""One plan, two checkouts, two library locks: the same verdicts, tables within the tolerance."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.projects import PROJECT, git
from tests.runs import RESULTS, Tiny, generations

from cot_entropy.base.digest import stage_digest
from cot_entropy.protocol.scoring import ScoreJob, SensitivityJob
from cot_entropy.registration.provenance import (
    FOLDER,
    RUN,
    RunRecord,
    cell_path,
    read_record,
    run_job,
)
from cot_entropy.study.config import Configuration

LOCK = PROJECT / "requirements/older.txt"
OTHER_RELEASES = ("numpy", "scipy", "pandas", "pyarrow", "scikit-learn", "statsmodels")
UNREACHABLE = ("Failed to fetch", "error sending request", "dns error", "Could not connect")


@pytest.fixture(scope="module")
def older_python(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An environment with the older lock, made by uv; skips where no index can be reached."""
    uv = shutil.which("uv", path=f"{PROJECT / '.tools/bin'}") or shutil.which("uv")
    if uv is None:
        pytest.skip("uv is not there; `make setup` brings it")
    folder = tmp_path_factory.mktemp("older") / "venv"
    subprocess.run([uv, "venv", "--quiet", "--python", "3.11", str(folder)], check=True)
    python = folder / "bin/python"
    install = [uv, "pip", "sync", "--quiet", "--python", str(python), str(LOCK)]
    done = subprocess.run(install, capture_output=True, text=True, check=False)
    if done.returncode and any(sign in done.stderr for sign in UNREACHABLE):
        pytest.skip(f"no package index can be reached: {done.stderr.strip()[-200:]}")
    assert done.returncode == 0, done.stderr
    return python


def command(python: Path, checkout: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """`cot-entropy` of a checkout, run in it under one environment's libraries."""
    return subprocess.run(
        [str(python), "-c", "from cot_entropy.cli import main; main()", *arguments],
        cwd=checkout,
        env={"PYTHONPATH": str(checkout / "src"), "PATH": ""},
        capture_output=True,
        text=True,
        check=False,
    )


def checked_out(run: Tiny, folder: Path) -> Path:
    """A clone of the project, with the generations of its run and nothing made from them."""
    git(folder.parent, "clone", "--quiet", str(run.root), str(folder))
    kept = shutil.ignore_patterns("*.csv", "*.parquet", FOLDER)
    shutil.copytree(run.results, folder / RESULTS, ignore=kept)
    return folder


def verbs(configuration: Configuration) -> Iterator[list[str]]:
    """Every command from stored generations to the sealed run."""
    scoring = configuration.protocols.scoring["registered"]
    scored = []
    for cell in configuration.study.cells:
        paths = generations(cell, RESULTS)
        files = [text for stage, path in paths.items() for text in (f"--{stage}", str(path))]
        job = ScoreJob(cell=cell, scoring=scoring, code_digest=stage_digest("score"))
        out = paths["completions"].parent / "registered/trajectories.parquet"
        scored.append(str(out))
        yield ["score", "--job", job.model_dump_json(), *files, "--out", str(out)]
        table = SensitivityJob(cell=cell, scoring=scoring, code_digest=stage_digest("sensitivity"))
        out = paths["completions"].parent / "sensitivity.csv"
        yield ["sensitivity", "--job", table.model_dump_json(), *files, "--out", str(out)]
    recorded = str(RESULTS / FOLDER / RUN)
    yield ["record-run", "--job", run_job(configuration).model_dump_json(), "--out", recorded]
    for cell in configuration.study.cells:
        out = cell_path(RESULTS, cell)
        yield ["record-cell", cell, "--results", str(RESULTS), "--out", str(out)]
    yield ["analyse", "--plan", configuration.study.plan, "--out", str(RESULTS), *scored]
    page = str(RESULTS / "report.html")
    yield ["report", str(RESULTS), "--plan", configuration.study.plan, "--out", page]
    yield ["seal", str(RESULTS), "--out", str(RESULTS / FOLDER / "manifest.json")]


@pytest.mark.full
def test_an_older_lock_gives_the_same_verdicts_and_tables(
    tiny: Tiny, tmp_path: Path, older_python: Path
) -> None:
    """Scored, analysed, reported and sealed twice from the same generations; then audited and compared."""
    current = Path(sys.executable)
    configuration = read_record(tiny.results / FOLDER / RUN, RunRecord).configuration
    runs = []
    for name, python in (("current", current), ("older", older_python)):
        checkout = checked_out(tiny, tmp_path / name)
        for arguments in verbs(configuration):
            done = command(python, checkout, *arguments)
            assert done.returncode == 0, (name, arguments[0], done.stderr[-2000:])
        runs.append(checkout / RESULTS)
    ours, theirs = runs
    releases = [read_record(run / FOLDER / RUN, RunRecord).packages for run in runs]
    assert all(releases[0][one] != releases[1][one] for one in OTHER_RELEASES)

    compared = command(
        current, tmp_path / "current", "audit", str(ours), "--against", str(theirs), "--json"
    )
    found = json.loads(compared.stdout)
    assert found["values"] == []
    assert {one["differing"] for one in found["stages"]} == {0}
    assert len(found["stages"]) == 5 * len(configuration.study.cells)
    assert compared.returncode == 0

    audited = command(current, tmp_path / "current", "audit", str(theirs), "--json")
    assert json.loads(audited.stdout)["findings"] == []
    assert audited.returncode == 0
