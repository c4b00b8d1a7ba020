"""The scripted study through a real Slurm of one node; skipped where Slurm is not installed."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.workflow.conftest import BIN, ROOT, Project, tiny_project

START = Path(__file__).with_name("slurm.sh")
PROFILE = ROOT / "profiles/slurm"
QUICK = (
    "--slurm-no-account",
    "--slurm-status-command", "squeue",
    "--slurm-init-seconds-before-status-checks", "1",
    "--seconds-between-status-checks", "1",
)  # fmt: skip

pytestmark = pytest.mark.full


@pytest.fixture(scope="module")
def slurm() -> Iterator[None]:
    """A Slurm that takes jobs, on loopback, for the tests of this file."""
    if shutil.which("slurmctld") is None:
        pytest.skip("Slurm is not installed: tests/slurm/slurm.sh install")
    if os.geteuid() != 0:
        pytest.skip("starting a Slurm needs root")
    done = subprocess.run(
        [str(START), "start"], capture_output=True, text=True, check=False, timeout=120
    )
    if "belongs to another Slurm" in done.stderr:
        pytest.skip(done.stderr.strip())
    assert done.returncode == 0, done.stderr
    yield
    subprocess.run([str(START), "stop"], check=True, timeout=120)


def study(folder: Path, **changes: object) -> Project:
    """One cell in two shards."""
    folder.mkdir()
    made = tiny_project(folder)
    made.write({**made.read(), "only": ["tiny/sums"], "shards": 2, **changes})
    return made


def generated(project: Project) -> dict[str, bytes]:
    """Generations, trajectories and tables, by path."""
    return {
        path.relative_to(project.results).as_posix(): path.read_bytes()
        for path in sorted(project.results.rglob("*"))
        if path.name.endswith((".jsonl.zst", ".parquet", ".csv"))
    }


def test_the_slurm_node_listens_on_loopback_only(slurm: None) -> None:
    table = subprocess.run(["ss", "-Hltnp"], capture_output=True, text=True, check=True).stdout
    rows = [line.split() for line in table.splitlines() if "slurm" in line]
    assert len(rows) == 2
    assert {row[3].rpartition(":")[0] for row in rows} == {"127.0.0.1"}


def test_two_jobs_hold_two_devices(slurm: None) -> None:
    """What the profile leaves to Slurm: each job is told a device of its own."""
    job = [
        "srun", "--gpus=1", "--ntasks=1",
        "bash", "-c", "echo device=$CUDA_VISIBLE_DEVICES; sleep 3",
    ]  # fmt: skip
    both = [subprocess.Popen(job, stdout=subprocess.PIPE, text=True) for _ in range(2)]
    printed = [one.communicate(timeout=120)[0] for one in both]
    devices = re.findall(r"device=(\d)", "".join(printed))
    assert sorted(devices) == ["0", "1"]


def test_slurm_gives_the_bytes_of_a_local_run(slurm: None, tmp_path: Path) -> None:
    """The profile as it is; its GPU rules ask Slurm for one GPU each and get it.

    What needs the hub is not submitted: compute nodes of clusters often reach none.
    """
    local = study(tmp_path / "local", engine=cuda())
    local.snakemake()
    there = study(tmp_path / "slurm", engine=cuda())
    done = subprocess.run(
        [
            "snakemake", "--snakefile", str(ROOT / "Snakefile"),
            "--workflow-profile", str(PROFILE), "--configfile", "study.yaml",
            *QUICK,
        ],
        cwd=there.folder,
        env={**os.environ, "PATH": f"{BIN}{os.pathsep}{os.environ['PATH']}"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
        timeout=1800,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout
    assert done.stdout.count("has been submitted with SLURM jobid") == 14
    assert "localrule model:" in done.stdout
    assert "localrule questions:" in done.stdout
    found, expected = generated(there), generated(local)
    assert found.keys() == expected.keys()
    assert [name for name in expected if found[name] != expected[name]] == []


def cuda() -> dict[str, object]:
    """The scripted engine on a device that Slurm counts."""
    return {"name": "scripted", "device": "cuda", "max_model_len": 4096}
