"""Temporary projects under git: a copy of the package and a registered study of its plan."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

from cot_entropy.base import digest

PROJECT = Path(__file__).parents[1]
REVISION = "a" * 40
SHA256 = "b" * 64


def study(**changes: Any) -> dict[str, Any]:
    """A study that registers every model and dataset of the project's plan."""
    models = ("qwen2.5-7b", "mistral-7b", "llama3.1-8b", "r1-distill-qwen-7b")
    return {
        "study": "registered",
        "seed": 7,
        "plan": "preregistration/plan.yaml",
        "engine": {"device": "cuda"},
        "models": {
            name: {"source": "hub", "id": f"org/{name}", "revision": REVISION} for name in models
        },
        "datasets": {
            name: {
                "source": "hub",
                "id": f"org/{name}",
                "answer": "number",
                "revision": REVISION,
                "sha256": SHA256,
            }
            for name in ("gsm8k", "math500")
        },
        **changes,
    }


def make_project(root: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A committed project in `root`, which becomes the working folder and the running package."""
    for folder in ("preregistration", "requirements", "config"):
        shutil.copytree(PROJECT / folder, root / folder)
    (root / "preregistration" / "freeze.json").unlink(missing_ok=True)
    shutil.copytree(
        digest.ROOT, root / "src/cot_entropy", ignore=shutil.ignore_patterns("__pycache__")
    )
    (root / ".gitignore").write_text("results/\n")
    write_study(root, study())
    git(root, "init", "--quiet")
    commit(root)
    monkeypatch.chdir(root)
    monkeypatch.setattr(digest, "ROOT", root / "src/cot_entropy")
    forget_digests()
    return root


def write_study(root: Path, values: dict[str, Any]) -> None:
    (root / "config/study.yaml").write_text(yaml.safe_dump(values))


def commit(root: Path) -> str:
    """Commit everything; returns the commit."""
    git(root, "add", "--all")
    identity = ("-c", "user.name=test", "-c", "user.email=test@example.org")
    git(root, *identity, "commit", "--quiet", "--message", "state")
    return git(root, "rev-parse", "HEAD").strip()


def git(root: Path, *arguments: str) -> str:
    done = subprocess.run(
        ["git", "-C", str(root), *arguments], capture_output=True, text=True, check=True
    )
    return done.stdout


def edit(path: Path, old: str, new: str) -> None:
    """Replace text that must stand in the file once."""
    text = path.read_text()
    assert text.count(old) == 1, f"{old!r} stands {text.count(old)} times in {path.name}"
    path.write_text(text.replace(old, new))


def forget_digests() -> None:
    digest._digest.cache_clear()
    digest._reachable.cache_clear()
