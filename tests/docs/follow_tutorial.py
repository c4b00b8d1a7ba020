"""Follows docs/tutorial.md to the letter, from a fresh clone: `python -m tests.docs.follow_tutorial`.

The commands are those of the page's fenced blocks, in their order, in one shell that ends at the
first one that fails. `--environment PREFIX` takes an environment that is there already instead of
the page's first block; `--demo-questions N` makes the demo smaller. What was produced stays in
the folder given with `--folder`.
"""

from __future__ import annotations

import argparse
import os
import re
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

import yaml
from tests.docs.fences import ROOT, Block, commands

from cot_entropy.data.load import load
from cot_entropy.study.config import Study

TUTORIAL = ROOT / "docs/tutorial.md"


def script(blocks: list[Block]) -> str:
    """The blocks as one script that says where it is."""
    parts = ["set -euo pipefail"]
    for block in blocks:
        parts += [f"echo {shlex.quote(f'--- {block}')}", block.text.rstrip("\n")]
    return "\n".join(parts) + "\n"


def follow(clone: Path, *, environment: Path | None) -> int:
    """Run the tutorial in a clone; the exit code of its first failing command, or 0."""
    found = commands(clone / "docs/tutorial.md")
    variables = dict(os.environ)
    if environment is not None:
        found = [block for block in found if block.kind != "setup"]
        (clone / ".venv").symlink_to(environment)
        variables["PATH"] = f"{environment / 'bin'}{os.pathsep}{variables['PATH']}"
        variables["PYTHONPATH"] = str(clone / "src")
    return subprocess.run(
        ["bash", "-c", script(found)], cwd=clone, env=variables, check=False
    ).returncode


def smaller_demo(clone: Path, questions: int) -> None:
    """Let the demo ask fewer questions per dataset, pinned by their hash, and commit that."""
    path = clone / "config/demo.yaml"
    text, count = re.subn(r"questions: \d+", f"questions: {questions}", path.read_text())
    if count != 2:
        raise ValueError(f"{path}: {count} datasets with `questions`, expected 2")
    pinned = re.compile(r"    sha256: [0-9a-f]{64}\n")
    datasets = Study.model_validate(yaml.safe_load(pinned.sub("", text))).datasets
    for spec in datasets.values():
        text = pinned.sub(f"    sha256:  {load(spec, root=clone).sha256}\n", text, count=1)
    path.write_text(text)
    identity = ("-c", "user.name=test", "-c", "user.email=test@example.org")
    subprocess.run(
        ["git", *identity, "commit", "--quiet", "--all", "--message", "A smaller demo"],
        cwd=clone,
        check=True,
    )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--folder", type=Path, help="a folder that does not exist yet")
    parser.add_argument("--environment", type=Path, help="the prefix of a finished environment")
    parser.add_argument("--demo-questions", type=int, help="per dataset; without: all")
    options = parser.parse_args()
    folder = options.folder or Path(tempfile.mkdtemp()) / "clone"
    subprocess.run(["git", "clone", "--quiet", str(ROOT), str(folder)], check=True)
    if options.demo_questions:
        smaller_demo(folder, options.demo_questions)
    print(f"following {TUTORIAL.relative_to(ROOT)} in {folder}", flush=True)
    return follow(folder, environment=options.environment)


if __name__ == "__main__":
    sys.exit(main())
