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
    assert counts["chains"] == counts["completions"] == counts["score"] == 8


def test_the_dry_run_of_z26_lists_three_seeds_of_each_cell() -> None:
    """Two models on the pilot and both full sets, three decoding runs each."""
    counts = dry_run("config/zhao.yaml")
    assert counts["model"] == 2
    assert counts["questions"] == 3
    assert counts["chains"] == counts["completions"] == counts["score"] == 18
    assert counts["compare_variants"] == 1
