"""The registered study, as a dry run lists it."""

import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
BIN = Path(sys.executable).parent


def dry_run(configfile: str) -> dict[str, int]:
    """How many jobs of each rule the project's own Snakefile lists."""
    done = subprocess.run(
        ["snakemake", "--cores", "all", "--configfile", configfile, "-n"],
        cwd=ROOT,
        env={**os.environ, "PATH": f"{BIN}{os.pathsep}{os.environ['PATH']}"},
        capture_output=True,
        text=True,
        check=True,
    )
    counts = re.findall(r"^(\w+)\s+(\d+)$", done.stdout, re.MULTILINE)
    return {rule: int(count) for rule, count in counts}


def test_the_dry_run_of_the_study_lists_eight_cells() -> None:
    """The README's command, to the letter."""
    counts = dry_run("config/study.yaml")
    assert counts["model"] == 4
    assert counts["questions"] == 2
    assert counts["chains"] == 8
    # the registered probe, three segmentations, no cap and merged units; caps of 16 and 4 derived
    assert (counts["completions"], counts["derive"]) == (8 * 6, 8 * 2)
    # the registered protocol, seven probes, and the chain's own outcome
    assert counts["score"] == 8 * 9
    assert counts["compare_variants"] == 1


def test_the_dry_run_of_the_dependence_study_adds_four_chain_blocks() -> None:
    """Two budgets and two seeds: chains, completions and trajectories of their own."""
    counts = dry_run("config/dependence.yaml")
    assert counts["chains"] == 8 * 5
    assert (counts["completions"], counts["derive"]) == (8 * 10, 8 * 2)
    assert counts["score"] == 8 * 13


def test_the_dry_run_of_z26_lists_three_seeds_of_each_cell() -> None:
    """Two models on the pilot and both full sets, three decoding runs each."""
    counts = dry_run("config/zhao.yaml")
    assert counts["model"] == 2
    assert counts["questions"] == 3
    assert counts["chains"] == counts["completions"] == counts["score"] == 18
    assert counts["compare_variants"] == 1
