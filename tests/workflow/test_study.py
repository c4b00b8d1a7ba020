"""The registered study, as a dry run lists it."""

import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
BIN = Path(sys.executable).parent


def test_the_dry_run_of_the_study_lists_eight_cells() -> None:
    """The README's command, to the letter."""
    done = subprocess.run(
        ["snakemake", "--cores", "all", "--configfile", "config/study.yaml", "-n"],
        cwd=ROOT,
        env={**os.environ, "PATH": f"{BIN}{os.pathsep}{os.environ['PATH']}"},
        capture_output=True,
        text=True,
        check=True,
    )
    counts = dict(re.findall(r"^(\w+)\s+(\d+)$", done.stdout, re.MULTILINE))
    assert counts["model"] == "4"
    assert counts["questions"] == "2"
    assert counts["chains"] == counts["completions"] == counts["score"] == "8"
