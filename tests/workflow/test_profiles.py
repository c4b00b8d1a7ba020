"""What the profiles add to a run: GPUs counted on one machine, clusters in a dry run."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest
import yaml
from tests.workflow.conftest import Project

PROFILES = Path(__file__).parents[2] / "profiles"
GPU_RULES = {"chains_shard", "completions_shard"}


def most_at_a_time(log: str) -> int:
    """Jobs that hold a GPU together at most, from Snakemake's own words on starts and ends."""
    events = re.findall(
        r"^(?:local)?rule (\w+):$|^ +jobid: (\d+)$|^Finished jobid: (\d+) ", log, re.MULTILINE
    )
    most, running, rule = 0, set[str](), ""
    for started, identity, finished in events:
        rule = started or rule
        if identity and rule in GPU_RULES:
            running.add(identity)
        running.discard(finished)
        most = max(most, len(running))
    return most


@pytest.mark.parametrize(("gpus", "expected"), [(None, 1), (2, 2)])
def test_gpu_jobs_run_one_at_a_time_unless_there_are_more(
    project: Project, gpus: int | None, expected: int
) -> None:
    """On cores enough for two: the profile's one GPU is what keeps shards apart, two let two run."""
    values = project.read()
    values |= {"shards": 2, "only": ["tiny/sums"]}
    values["engine"]["device"] = "cuda"
    project.write(values)
    more = () if gpus is None else ("--resources", f"gpu={gpus}")
    threads = ("--set-threads", *(f"{rule}=1" for rule in sorted(GPU_RULES)))
    done = project.snakemake(*more, *threads, "--until", "gather_completions")
    assert done.stdout.count("Finished jobid") == 9
    assert most_at_a_time(done.stdout) == expected


def test_the_slurm_profile_plans_a_study(project: Project) -> None:
    """A dry run; each job asks for memory, and for as many GPUs as the engine takes."""
    values = project.read()
    values["engine"] |= {"device": "cuda", "tensor_parallel_size": 2}
    project.write(values)
    text = project.snakemake("--dry-run", profile="slurm").stdout
    chains = re.findall(r"^rule chains:$.*?resources: ([^\n]*)", text, re.MULTILINE | re.DOTALL)
    assert len(chains) == 2
    for resources in chains:
        assert "gpu=2" in resources
        assert "mem_mb=48000" in resources


def test_the_slurm_profile_counts_no_gpu_and_reruns_as_the_default_does() -> None:
    """The cluster hands out GPUs: a limit here would leave all but one idle."""
    profile, default = (
        yaml.safe_load((PROFILES / one / "config.yaml").read_text()) for one in ("slurm", "default")
    )
    assert "resources" not in profile
    assert profile["rerun-triggers"] == default["rerun-triggers"]


def test_rules_run_in_the_environment_of_snakemake_itself(project: Project) -> None:
    """`.venv/bin/snakemake` without the environment activated: no other command is found."""
    done = project.snakemake("--until", "questions", path=os.defpath)
    assert "Finished jobid" in done.stdout
