"""What the pages promise to whoever changes the code: how few files a change takes."""

import contextlib
import csv
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import get_args

import numpy as np
import pytest
import yaml
from sklearn.metrics import roc_auc_score
from tests.docs.fences import blocks
from tests.docs.recipes import RECIPES, follow
from tests.projects import forget_digests
from tests.stats.explore.simulated import random_rows

from cot_entropy.base import digest
from cot_entropy.formats.trajectories import write_trajectories
from cot_entropy.plan.load import load_plan
from cot_entropy.plan.model import (
    Estimand,
    FilterFeature,
    Interval,
    MissingData,
    Plan,
    PValue,
    Rule,
)
from cot_entropy.registration.items import code_items
from cot_entropy.study.config import Configuration, read_configuration

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "src/cot_entropy"


def copy_of_the_package(tmp_path: Path) -> Path:
    package = tmp_path / "src/cot_entropy"
    shutil.copytree(PACKAGE, package, ignore=shutil.ignore_patterns("__pycache__", "adapter"))
    return package


@pytest.fixture(scope="module")
def registered() -> tuple[Configuration, Plan]:
    with contextlib.chdir(ROOT):
        study = read_configuration(Path("config/study.yaml"))
        return study, load_plan(Path(study.study.plan)).plan


@pytest.mark.parametrize("page", RECIPES)
def test_a_recipe_changes_no_digest(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    registered: tuple[Configuration, Plan],
    page: str,
) -> None:
    """The registered study's stages: its blocks and its plan name none of the new rules."""
    package = copy_of_the_package(tmp_path)
    monkeypatch.setattr(digest, "ROOT", package)
    forget_digests()
    before = code_items(*registered)
    follow(page, package)
    forget_digests()
    assert code_items(*registered) == before
    forget_digests()


@pytest.mark.parametrize("file", [name for names in RECIPES.values() for name in names])
def test_the_page_for_developers_names_the_folder(file: str) -> None:
    page = (ROOT / "docs/developers.md").read_text(encoding="utf-8")
    assert f"`{file.rpartition('/')[0]}/`" in page


def run_there(tmp_path: Path, code: str, *arguments: str) -> str:
    """Run Python with the copy of the package; returns what it printed."""
    done = subprocess.run(
        [sys.executable, "-c", code, *arguments],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(tmp_path / "src")},
        check=True,
        capture_output=True,
        text=True,
    )
    return done.stdout


@pytest.mark.full
def test_the_page_about_signals_adds_one(tmp_path: Path) -> None:
    """Its file and its name in the plan give an AUROC, that of scikit-learn."""
    follow("add-a-signal.md", copy_of_the_package(tmp_path))
    plan = (ROOT / "preregistration/plan.yaml").read_text(encoding="utf-8")
    plan = re.sub(r"(signals:\s+\[)(?=final_entropy)", r"\1first_fall, ", plan)
    for key in ("resamples", "permutations"):
        plan = plan.replace(f"{key}: 10000", f"{key}: 200")
    (tmp_path / "plan.yaml").write_text(plan, encoding="utf-8")
    rows = random_rows(200, seed=4, missing=0.0)
    write_trajectories(tmp_path / "mine.parquet", rows)
    code = "from cot_entropy.cli import main; main()"
    run_there(tmp_path, code, "analyse", "--plan", "plan.yaml", "--out", "out", "mine.parquet")
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


def test_the_page_about_segmentation_adds_a_rule(tmp_path: Path) -> None:
    """It cuts a text into the sentences that stand in it."""
    follow("change-the-segmentation.md", copy_of_the_package(tmp_path))
    code = (
        "from cot_entropy.protocol.probe import ProbeBlock\n"
        "from cot_entropy.generate.prefixes import cut\n"
        "probe = ProbeBlock(segmentation='sentences', cap=8, cap_policy='truncate', m=5,"
        " temperature=0.7, budget=150)\n"
        "text = 'Two and two. That is 4!  So 4'\n"
        "print(cut('q', text, range(1, len(text) + 1), probe).ends)"
    )
    # one character a token: nothing, then up to the end of each sentence
    assert json.loads(run_there(tmp_path, code)) == [0, 12, 23, 29]


def test_the_page_about_extraction_adds_a_rule(tmp_path: Path) -> None:
    follow("add-an-extraction-rule.md", copy_of_the_package(tmp_path))
    code = (
        "from cot_entropy.protocol.scoring import ScoringBlock\n"
        "from cot_entropy.answers import extract\n"
        "block = ScoringBlock(extraction='last_line', searched='completion', eps=0.0,"
        " equivalence='normalised', no_answer='drop', outcome='majority')\n"
        "print(extract('So\\n 41 \\n\\n', rule=block.extraction, kind='math'))"
    )
    assert run_there(tmp_path, code) == "41\n"


def test_the_page_about_datasets_adds_a_source(tmp_path: Path) -> None:
    follow("add-a-model-or-dataset.md", copy_of_the_package(tmp_path))
    text = "question,answer\nWhat is 1 + 1?,2\nWhat is 2 + 2?,4\n"
    (tmp_path / "sums.csv").write_text(text)
    code = (
        "import sys\n"
        "from pathlib import Path\n"
        "from pydantic import TypeAdapter\n"
        "from cot_entropy.data.load import load\n"
        "from cot_entropy.data.job import DatasetSpec\n"
        "spec = TypeAdapter(DatasetSpec).validate_python({'source': 'table', 'answer': 'number',"
        " 'path': 'sums.csv', 'sha256': sys.argv[1]})\n"
        "print([one.gold for one in load(spec, root=Path()).questions])"
    )
    sha256 = hashlib.sha256(text.encode()).hexdigest()
    assert run_there(tmp_path, code, sha256) == "['2', '4']\n"


def test_the_page_about_estimators_adds_one(tmp_path: Path) -> None:
    """Of ten questions with entropies 0.0 to 0.9 the hardest two: one is right."""
    follow("add-an-estimator.md", copy_of_the_package(tmp_path))
    (entry,) = [
        block.text
        for block in blocks(ROOT / "docs/howto/add-an-estimator.md")
        if block.language == "yaml"
    ]
    values = yaml.safe_load(entry)[0] | {"params": {"share": 0.2}}
    code = (
        "import json, sys\n"
        "import numpy as np\n"
        "from types import SimpleNamespace\n"
        "from pydantic import TypeAdapter\n"
        "from cot_entropy.plan.exploratory import ESTIMATORS, ExploratoryEntry\n"
        "entry = TypeAdapter(ExploratoryEntry).validate_python(json.loads(sys.argv[1]))\n"
        "cell = SimpleNamespace(name='m/d', n=10, trajectories_sha256='',\n"
        "    final_entropy=np.arange(10) / 10, correct=np.arange(10) % 2 == 0)\n"
        "rows = ESTIMATORS.load(entry.estimator).estimate(cell, entry, None)\n"
        "print([(row.id, row.kind, row.estimate, row.n) for row in rows])"
    )
    assert run_there(tmp_path, code, json.dumps(values)) == "[('E14', 'exploratory', 0.5, 2)]\n"


PLANNED = (
    *(Estimand, Interval, Rule, PValue, FilterFeature),
    *(field.annotation for field in MissingData.model_fields.values()),
)


@pytest.mark.parametrize("name", sorted({name for kind in PLANNED for name in get_args(kind)}))
def test_the_page_about_statistics_explains_every_name_of_the_plan(name: str) -> None:
    page = (ROOT / "docs/explanation/statistics.md").read_text(encoding="utf-8")
    assert f"`{name}`" in page
