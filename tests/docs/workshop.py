"""A project in which the documentation's commands can be run: a clone, with two finished runs.

`results/study` is a run of the scripted engine on twelve generated word problems, made by the
real Snakefile after a real freeze; `results/demo` and `other/study` are copies of it.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np
import yaml
from safetensors.numpy import save_file
from tests.generation import model_folder

ROOT: Final = Path(__file__).parents[2]
BIN: Final = Path(sys.executable).parent
CELL: Final = "smollm2-135m-demo/wordproblems"
SCRIPTED: Final = {
    "study": "study",
    "seed": 1,
    "plan": "preregistration/plan.yaml",
    "engine": {"name": "scripted", "device": "cpu", "max_model_len": 4096},
    "models": {"smollm2-135m-demo": {"source": "local", "path": "models/scripted"}},
    "datasets": {
        "wordproblems": {
            "source": "embedded",
            "name": "wordproblems",
            "answer": "number",
            "questions": 12,
            "seed": 1,
        }
    },
    "judges": {"computed": {"source": "computed"}},
}


@dataclass(frozen=True)
class Workshop:
    """A project folder, and how commands are run in it."""

    folder: Path

    def bash(self, text: str) -> subprocess.CompletedProcess[str]:
        """Run commands; standard output and error come back together."""
        return subprocess.run(
            ["bash", "-euo", "pipefail", "-c", text],
            cwd=self.folder,
            env={
                **os.environ,
                "PATH": f"{BIN}{os.pathsep}{os.environ['PATH']}",
                "PYTHONPATH": str(self.folder / "src"),
                "HF_HUB_OFFLINE": "1",
            },
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
            timeout=1200,
        )

    def run(self, text: str) -> str:
        """Run commands that must end with 0; their output."""
        done = self.bash(text)
        assert done.returncode == 0, done.stdout[-6000:]
        return done.stdout

    def copy(self, target: Path) -> Workshop:
        """A copy that commands may change; file times are kept, for Snakemake."""
        shutil.copytree(self.folder, target, symlinks=True)
        return Workshop(target)


def clone(folder: Path) -> Workshop:
    """The working tree as a repository of its own, on the environment that runs the tests."""
    names = subprocess.run(
        ["git", "-C", str(ROOT), "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    for name in filter(None, names.split("\0")):
        if (ROOT / name).is_file():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(ROOT / name, folder / name)
    made = Workshop(folder)
    (folder / ".venv").symlink_to(BIN.parent)
    made.run("git init --quiet && echo /.venv >> .git/info/exclude")
    commit(made)
    return made


def commit(made: Workshop) -> None:
    """Commit everything."""
    made.run(
        "git add --all && git -c user.name=test -c user.email=test@example.org"
        " commit --quiet --allow-empty --message state"
    )


def finish(made: Workshop) -> Workshop:
    """Freeze the plan, run the small study, and lay out what the documentation names."""
    model = model_folder(made.folder / "models/scripted")
    save_file({"w": np.zeros(2, dtype=np.float32)}, model / "model.safetensors")
    (made.folder / "config/scripted.yaml").write_text(yaml.safe_dump(SCRIPTED, sort_keys=False))
    commit(made)
    made.run("cot-entropy freeze --configfile config/study.yaml")
    commit(made)
    made.run("snakemake all consistency --cores 2 --configfile config/scripted.yaml")
    for copy in ("results/demo", "other/study"):
        shutil.copytree(made.folder / "results/study", made.folder / copy)
    _files(made.folder)
    made.run("cot-entropy archive results/study received.zip")
    return made


def _files(folder: Path) -> None:
    cell = folder / "results/study" / CELL / "registered"
    shutil.copyfile(cell / "registered/registered/trajectories.parquet", folder / "mine.parquet")
    judged = folder / "results/study/consistency/computed" / CELL / "judgements.jsonl.zst"
    shutil.copyfile(judged, folder / "judgements.jsonl.zst")
    graded = {"id": "q1", "completion": "So 3 + 4 = 7.", "gold": "7"}
    (folder / "completions.jsonl").write_text(json.dumps(graded) + "\n")
    transcript = {
        "id": "t1",
        "question": "What is 3 + 4?",
        "reasoning": "Three and four more are seven, so the result is 7.",
        "answer": "7",
    }
    (folder / "transcripts.jsonl").write_text(json.dumps(transcript) + "\n")
