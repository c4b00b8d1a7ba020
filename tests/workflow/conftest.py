"""A tiny study on the scripted engine, run by real Snakemake in a folder of its own."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml
from safetensors.numpy import save_file
from tests.generation import model_folder

from cot_entropy.base.files import sha256_file

ROOT = Path(__file__).parents[2]
BIN = Path(sys.executable).parent


@dataclass(frozen=True)
class Project:
    """A folder with a config, in which the project's own Snakefile runs."""

    folder: Path

    @property
    def results(self) -> Path:
        return self.folder / "results/tiny"

    def read(self) -> dict[str, Any]:
        values: dict[str, Any] = yaml.safe_load((self.folder / "study.yaml").read_text())
        return values

    def write(self, values: dict[str, Any]) -> None:
        (self.folder / "study.yaml").write_text(yaml.safe_dump(values, sort_keys=False))

    def protocols(self) -> dict[str, Any]:
        values: dict[str, Any] = yaml.safe_load((self.folder / "protocols.yaml").read_text())
        return values

    def write_protocols(self, values: dict[str, Any]) -> None:
        (self.folder / "protocols.yaml").write_text(yaml.safe_dump(values, sort_keys=False))

    def snakemake(
        self,
        *arguments: str,
        profile: str = "default",
        check: bool = True,
        path: str = f"{BIN}{os.pathsep}{os.environ['PATH']}",
    ) -> subprocess.CompletedProcess[str]:
        """Run the real Snakefile; its standard output and error come back together."""
        command = [
            str(BIN / "snakemake"),
            "--snakefile", str(ROOT / "Snakefile"),
            "--directory", str(self.folder),
            "--workflow-profile", str(ROOT / "profiles" / profile),
            "--cores", "2",
            "--configfile", str(self.folder / "study.yaml"),
            *arguments,
        ]  # fmt: skip
        done = subprocess.run(
            command,
            cwd=self.folder,
            env={**os.environ, "PATH": path},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
            timeout=900,
        )
        assert not check or done.returncode == 0, done.stdout
        return done

    def planned(self, *arguments: str) -> dict[str, int]:
        """How many jobs of each rule a dry run lists."""
        text = self.snakemake("--dry-run", *arguments).stdout
        table = re.findall(r"^(\w+)\s+(\d+)$", text, re.MULTILINE)
        return {rule: int(count) for rule, count in table if rule != "total"}


def question_rows(count: int) -> str:
    rows = [{"question": f"What is {n} and {n}?", "answer": str(1 + n % 3)} for n in range(count)]
    return "".join(json.dumps(row) + "\n" for row in rows)


def tiny_project(folder: Path) -> Project:
    """Two datasets of six questions on one model that the scripted engine stands in for."""
    model = model_folder(folder / "model")
    save_file({"w": np.zeros(2, dtype=np.float32)}, model / "model.safetensors")
    (folder / "requirements").symlink_to(ROOT / "requirements")
    for name in ("sums", "more"):
        (folder / f"{name}.jsonl").write_text(question_rows(6))
    made = Project(folder)
    made.write_protocols(yaml.safe_load((ROOT / "config/protocols.yaml").read_text()))
    made.write(
        {
            "study": "tiny",
            "seed": 1,
            "plan": str(ROOT / "preregistration/plan.yaml"),
            "protocols": "protocols.yaml",
            "engine": {"name": "scripted", "device": "cpu", "max_model_len": 4096},
            "models": {"tiny": {"source": "local", "path": "model"}},
            "datasets": {
                name: {
                    "source": "local",
                    "path": f"{name}.jsonl",
                    "sha256": sha256_file(folder / f"{name}.jsonl"),
                    "answer": "number",
                }
                for name in ("sums", "more")
            },
        }
    )
    return made


@pytest.fixture
def project(tmp_path: Path) -> Project:
    """The tiny study before its first run."""
    return tiny_project(tmp_path)


@pytest.fixture(scope="session")
def finished_once(tmp_path_factory: pytest.TempPathFactory) -> Project:
    """The tiny study, run once for all tests; they work on copies."""
    made = tiny_project(tmp_path_factory.mktemp("tiny"))
    made.snakemake()
    return made


@pytest.fixture
def finished(finished_once: Project, tmp_path: Path) -> Project:
    """A copy of the finished study, times and Snakemake's memory included."""
    folder = tmp_path / "copy"
    shutil.copytree(finished_once.folder, folder, symlinks=True)
    return Project(folder)
