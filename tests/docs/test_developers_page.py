"""What the pages promise to whoever changes the code: how few files a change takes."""

import csv
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from textwrap import indent
from typing import get_args

import numpy as np
import pytest
from fences import blocks
from sklearn.metrics import roc_auc_score
from tests.stats.explore.simulated import random_rows

from cot_entropy.formats.trajectories import write_trajectories
from cot_entropy.plan.model import (
    Estimand,
    FilterFeature,
    Interval,
    MissingData,
    PValue,
    Rule,
)

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "src/cot_entropy"


@pytest.mark.parametrize(
    ("name", "files"),
    [
        ("newlines", {"generate/segmentation.py", "protocol/probe.py"}),
        ("p_majority", {"stats/explore/signals.py", "plan/exploratory.py"}),
        ("zhao", {"answers/extract.py", "protocol/names.py"}),
        ("m_10", set()),
    ],
    ids=["segmentation rule", "signal", "extraction rule", "variant"],
)
def test_a_name_stands_in_the_files_that_the_page_names(name: str, files: set[str]) -> None:
    """What was added once shows what adding another takes."""
    found = {
        path.relative_to(PACKAGE).as_posix()
        for path in PACKAGE.rglob("*.py")
        if f'"{name}"' in path.read_text(encoding="utf-8")
    }
    assert found == files
    page = (ROOT / "docs/developers.md").read_text(encoding="utf-8")
    assert all(f"`{file}`" in page for file in files)


def put(path: Path, text: str, *, before: str) -> None:
    """Insert text before the only place where another one stands."""
    old = path.read_text(encoding="utf-8")
    assert old.count(before) == 1, before
    path.write_text(old.replace(before, text + before), encoding="utf-8")


@pytest.mark.full
def test_the_page_about_signals_adds_one(tmp_path: Path) -> None:
    """Its two blocks of code and its line of the plan give an AUROC, that of scikit-learn."""
    name, scores = (
        block.text
        for block in blocks(ROOT / "docs/howto/add-a-signal.md")
        if block.language == "python"
    )
    package = tmp_path / "src/cot_entropy"
    shutil.copytree(PACKAGE, package, ignore=shutil.ignore_patterns("__pycache__", "adapter"))
    put(
        package / "plan/exploratory.py",
        indent(name.rstrip() + ",\n", "    "),
        before='    "p_majority",\n',
    )
    put(
        package / "stats/explore/signals.py",
        indent(scores, "        "),
        before='        "p_majority": SignalSource(',
    )
    plan = (ROOT / "preregistration/plan.yaml").read_text(encoding="utf-8")
    assert plan.count("p_majority]") == 2
    plan = plan.replace("p_majority]", "p_majority, first_fall]")
    for key in ("resamples", "permutations"):
        plan = plan.replace(f"{key}: 10000", f"{key}: 200")
    (tmp_path / "plan.yaml").write_text(plan, encoding="utf-8")
    rows = random_rows(200, seed=4, missing=0.0)
    write_trajectories(tmp_path / "mine.parquet", rows)
    code = "from cot_entropy.cli import main; main()"
    arguments = ["analyse", "--plan", "plan.yaml", "--out", "out", "mine.parquet"]
    subprocess.run(
        [sys.executable, "-c", code, *arguments],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(tmp_path / "src")},
        check=True,
    )
    with (tmp_path / "out/estimates.csv").open(newline="") as stream:
        found = {
            row["quantity"]: row
            for row in csv.DictReader(stream)
            if row["id"] == "E1" and row["cell"] == "model/data"
        }
    starts = [(row["entropies"][:2], row["correct"]) for row in rows if row["n_units"]]
    defined = [
        (first - second, right) for (first, second), right in starts if None not in (first, second)
    ]
    falls, right = zip(*defined, strict=True)
    expected = roc_auc_score(right, np.round(falls, 12))
    assert float(found["auroc[first_fall]"]["estimate"]) == pytest.approx(expected)


@pytest.mark.full
def test_the_page_about_segmentation_adds_a_rule(tmp_path: Path) -> None:
    """Its two blocks cut a text into the sentences that stand in it."""
    name, rule = (
        block.text
        for block in blocks(ROOT / "docs/howto/change-the-segmentation.md")
        if block.language == "python"
    )
    package = tmp_path / "src/cot_entropy"
    shutil.copytree(PACKAGE, package, ignore=shutil.ignore_patterns("__pycache__", "adapter"))
    path = package / "protocol/probe.py"
    put(path, f"{name.strip()}, ", before='"step_marker"]')
    put(
        package / "generate/segmentation.py",
        indent(rule, "    "),
        before='    "step_marker": step_marker,\n',
    )
    code = (
        "from cot_entropy.protocol.probe import ProbeBlock\n"
        "from cot_entropy.generate.segmentation import cut\n"
        "probe = ProbeBlock(segmentation='sentences', cap=8, cap_policy='truncate', m=5,"
        " temperature=0.7, budget=150)\n"
        "text = 'Two and two. That is 4!  So 4'\n"
        "print(cut('q', text, range(1, len(text) + 1), probe).ends)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "PYTHONPATH": str(tmp_path / "src")},
        check=True,
        capture_output=True,
        text=True,
    )
    # one character a token: nothing, then up to the end of each sentence
    assert json.loads(done.stdout) == [0, 12, 23, 29]


PLANNED = (
    *(Estimand, Interval, Rule, PValue, FilterFeature),
    *(field.annotation for field in MissingData.model_fields.values()),
)


@pytest.mark.parametrize("name", sorted({name for kind in PLANNED for name in get_args(kind)}))
def test_the_page_about_statistics_explains_every_name_of_the_plan(name: str) -> None:
    page = (ROOT / "docs/explanation/statistics.md").read_text(encoding="utf-8")
    assert f"`{name}`" in page
