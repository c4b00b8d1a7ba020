"""The scan is an optional extra: everything else runs without Inspect and Scout."""

from __future__ import annotations

import ast
import json
import subprocess
import sys
from pathlib import Path

import pytest

import cot_entropy
from cot_entropy.base.digest import STAGES, reachable_modules

PACKAGE = Path(cot_entropy.__file__).parent
EXTRA = {"inspect_ai", "inspect_scout"}
WITHOUT = """
import sys

class Absent:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {"inspect_ai", "inspect_scout"}:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

sys.meta_path.insert(0, Absent())
from cot_entropy.cli import main
main()
"""


def without_the_extra(*arguments: str, lines: str = "") -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", WITHOUT, *arguments],
        input=lines,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )


@pytest.mark.parametrize("stage", sorted(set(STAGES) - {"consistency"}))
def test_no_other_stage_reaches_the_scan(stage: str) -> None:
    """Nothing of it beyond the names of judges in the study's config."""
    scan = {name for name in reachable_modules(stage) if ".consistency" in name}
    assert scan <= {"cot_entropy.consistency", "cot_entropy.study.judges"}


def test_only_the_scan_imports_the_extra() -> None:
    """No module outside its folder names Inspect or Scout."""
    found = set()
    for path in PACKAGE.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            if isinstance(node, ast.ImportFrom):
                names = [node.module or ""]
            if EXTRA & {name.partition(".")[0] for name in names}:
                found.add(path.relative_to(PACKAGE).parts[0])
    assert found == {"consistency"}


def test_another_verb_works_without_the_extra() -> None:
    """The grader, to the letter."""
    done = without_the_extra(
        "grade", "--dataset", "gsm8k", lines='{"id": "a", "completion": "So 8.", "gold": "8"}\n'
    )
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == {"id": "a", "answer": "8", "correct": True}


def test_the_scan_says_what_is_missing() -> None:
    """One line with the command that installs it."""
    done = without_the_extra("consistency", "scan", "x.jsonl", "--out", "y", "--judge", "computed")
    assert done.returncode != 0
    assert "pip install 'cot-entropy[consistency]'" in done.stderr
    assert "Traceback" not in done.stderr
